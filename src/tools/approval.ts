/** The public face of approval: may this call run, and a tool that asks first. */

export {
  type ApprovalAnswer,
  type ApprovalPolicy,
  type ApprovalQuestion,
  approvalPolicy,
  approved,
} from "./approval/approved-tool.ts";
export {
  type ApprovalCall,
  type ApprovalMode,
  type ApprovalRules,
  type Decision,
  decide,
} from "./approval/decide.ts";
export { type ApprovalSubject, type GrantScope, type GrantStore, Grants } from "./approval/grants.ts";
