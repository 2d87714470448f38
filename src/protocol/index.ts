/** The types that every folder shares. Imports nothing but its own files. */

export { type ErrorParts, errorLine, OmpError, systemCode } from "./error.ts";
export type { AgentEvent, RunStatus } from "./event.ts";
export type {
  AssistantMessage,
  FinishReason,
  ImageContent,
  Message,
  MessageOrigin,
  Model,
  ModelEvent,
  ModelFacts,
  ModelRequest,
  ProviderData,
  ReasoningContent,
  TextContent,
  ToolCallContent,
  ToolDescription,
  ToolMessage,
  Usage,
  UserMessage,
} from "./model.ts";
export { type OutputPiece, outputPieces } from "./output-pieces.ts";
export type {
  ImagePart,
  InputCheck,
  JsonSchema,
  OnUpdate,
  OutputSegment,
  Tool,
  ToolConcurrency,
  ToolContext,
  ToolDetails,
  ToolResult,
} from "./tool.ts";
