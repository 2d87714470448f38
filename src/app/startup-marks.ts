/** `PI_DEBUG_STARTUP=1`: a line on stderr for each stage of the start, with the milliseconds since the process began. */

export type Mark = (stage: string) => void;

export function startupMarks(isOn: boolean, write: (line: string) => void): Mark {
  if (!isOn) return () => undefined;
  return (stage) => write(`[startup] ${performance.now().toFixed(1)} ms ${stage}\n`);
}
