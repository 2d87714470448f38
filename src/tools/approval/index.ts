/** The public face of approval: may this call run, and a tool that asks first. */

export {
  type ApprovalAnswer,
  type ApprovalPolicy,
  type ApprovalQuestion,
  approvalPolicy,
  approved,
} from "./approved-tool.ts";
export {
  type ApprovalCall,
  type ApprovalMode,
  type ApprovalRules,
  type Decision,
  decide,
} from "./decide.ts";
export { type ApprovalSubject, type GrantScope, type GrantStore, Grants } from "./grants.ts";
