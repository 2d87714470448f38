/** The public face of the folder. */

export {
  ArtifactStore,
  type ArtifactStoreOptions,
  type ArtifactWriter,
  artifactScheme,
  type CleanUpReport,
} from "./artifacts.ts";
export { type CapturedOutput, OutputSink, type OutputSinkOptions } from "./sink.ts";
export {
  execMiddle,
  type KeptText,
  modelTail,
  scriptStderrHead,
  scriptStdoutHead,
  type TruncationPolicy,
  truncate,
} from "./truncation.ts";
