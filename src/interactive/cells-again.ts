/** Where variables cannot be brought back: the cells that made them, to read and, after a yes, to run once more in an empty kernel. */

import { count } from "../format/numbers.ts";
import type { OpenCall } from "./command.ts";

export async function runCellsAgain(
  cells: readonly string[],
  { session, conversation, screen }: OpenCall,
): Promise<void> {
  // Nothing empties a kernel that omp did not start.
  const { isBorrowed } = session.services.python.host;
  const where = isBorrowed ? "in the kernel as it is" : "in an empty kernel";
  const { colorCode } = await import("../ui/markdown/code-colors.ts");
  const { plainText } = await import("../ui/text/lines.ts");
  const listed = cells.map((code, at) => `# cell ${at + 1}\n${code.trimEnd()}\n`).join("\n");
  const text = colorCode(plainText(listed), "python", screen.look.themes.get());
  const title = `Run ${count(cells.length, "cell")} again?`;
  for (;;) {
    const step = await conversation.pickers.pick({
      title,
      choices: [
        { label: "Read them", description: "in the pager", value: "read" },
        {
          label: "Run them",
          description: `${where}; what they did to files or the network, they do again`,
          value: "run",
        },
      ],
    });
    if (step === undefined) return;
    if (step === "run") break;
    await screen.showPager({ text, title: `${count(cells.length, "cell")} up to there` });
  }
  const reset = isBorrowed ? "" : "reset the Python kernel and ";
  const notice = `The user has ${reset}run the first ${count(cells.length, "cell")} of this session again.`;
  const input = { cells: cells.map((code) => ({ code })), ...(isBorrowed ? {} : { reset: true }) };
  await conversation.call({ tool: "python", input, code: listed, isReported: false, notice });
}
