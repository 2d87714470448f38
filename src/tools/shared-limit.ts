/** One limit for stdout and stderr together: what one does not need the other may use; if both are long, each gets half. */

import { count } from "../format/numbers.ts";
import { cutMiddle } from "../output/cut.ts";
import type { CapturedOutput } from "../output/sink.ts";

export interface TwoStreams {
  readonly stdout: CapturedOutput;
  readonly stderr: CapturedOutput;
}

/** Each of the two has been cut to `maxBytes` already, by its own sink, before the other's length was known. */
export function shareLimit({ stdout, stderr }: TwoStreams, maxBytes: number): TwoStreams {
  const out = Buffer.byteLength(stdout.text);
  const err = Buffer.byteLength(stderr.text);
  // One stream alone is as its sink cut it, the sink's own words on top of the limit.
  if (out + err <= maxBytes || out === 0 || err === 0) return { stdout, stderr };
  const half = Math.floor(maxBytes / 2);
  const errShare = Math.min(err, Math.max(half, maxBytes - out));
  return { stdout: recut(stdout, maxBytes - errShare), stderr: recut(stderr, errShare) };
}

function recut(captured: CapturedOutput, maxBytes: number): CapturedOutput {
  if (Buffer.byteLength(captured.text) <= maxBytes) return captured;
  const { head, tail } = cutMiddle(captured.text, captured.text, maxBytes);
  const where = captured.artifact === undefined ? "" : `; full output: artifact://${captured.artifact}`;
  return {
    ...captured,
    text: `${head}${head.endsWith("\n") ? "" : "\n"}[… cut here …]\n${tail}`,
    notice: `[output cut: start and end of ${count(captured.totalBytes, "byte")} are shown${where}]`,
    truncated: true,
  };
}
