/** The types that every folder shares. Imports nothing but its own files. */

export { attempt, type ErrorParts, errorLine, ignoreSystemError, OmpError, systemCode } from "./error.ts";
export type { AgentEvent, NestedEvent, RunStatus } from "./event.ts";
export {
  type AssistantMessage,
  type Effort,
  type FinishReason,
  type ImageContent,
  type Message,
  type MessageOrigin,
  type Model,
  type ModelEvent,
  type ModelFacts,
  type ModelRequest,
  messageText,
  noticesIn,
  noUsage,
  type ProviderData,
  type ReasoningContent,
  shownText,
  type TextContent,
  type ToolCallContent,
  type ToolDescription,
  type ToolMessage,
  toolMessage,
  type Usage,
  type UserMessage,
  userMessage,
} from "./model.ts";
export { type OutputPiece, outputPieces } from "./output-pieces.ts";
export {
  type AgentKernel,
  type AgentTask,
  agentKernels,
  type Bridge,
  type BridgeOptions,
  type HoldTime,
  type ImagePart,
  type InputCheck,
  type JsonSchema,
  type OnUpdate,
  type OutputSegment,
  type StartedCommand,
  type Tool,
  type ToolConcurrency,
  type ToolContext,
  type ToolDetails,
  type ToolResult,
} from "./tool.ts";
export { addUsage } from "./usage.ts";
