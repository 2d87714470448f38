/** What failed tests said, kept for the end of a run: thousands of lines later nobody finds it, and a log may be cut before it. */

const RESULT = /^\((?:pass|fail|skip|todo)\)/;
const LONGEST_REPORT = 60;

export function createFailures() {
  const reports = [];
  let since = [];
  let rest = "";
  let isOver = false;
  return {
    /** @param {string} text as `bun test` prints it */
    add(text) {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        // At the end the names of those that failed are listed once more.
        isOver ||= /^\d+ tests? failed:$/.test(line);
        if (isOver) continue;
        since.push(line);
        if (since.length > LONGEST_REPORT) since.shift();
        if (!RESULT.test(line)) continue;
        if (line.startsWith("(fail)")) reports.push(since.join("\n").trim());
        since = [];
      }
    },
    /** Each with the lines that came before its result. */
    reports,
  };
}
