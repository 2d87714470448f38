import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { helpersFile, helpersText } from "../../../scripts/python-helpers.ts";
import { promptFor } from "../../../src/app/system-prompt.ts";
import { pythonTool } from "../../../src/tools/python/python.ts";
import { localKernels } from "../../support/kernels.ts";
import { describeWithPython, testPython } from "../../support/python.ts";

describeWithPython(testPython, "the prompt", () => {
  test("lists the helpers as a kernel describes them (bun scripts/python-helpers.ts writes them)", async () => {
    const { kernels, home } = localKernels();
    const kernel = await kernels.start({ cwd: home });
    expect(readFileSync(helpersFile, "utf8")).toBe(helpersText(kernel.facts.helpers));
  });
});

test("a kernel elsewhere is told, and with no shell nothing of a shell", () => {
  const unused = () => {
    throw new Error("nothing is run");
  };
  const here = pythonTool({ kernels: unused, artifacts: unused });
  const there = pythonTool({ kernels: unused, artifacts: unused, elsewhere: "in the Jupyter gateway lab" });
  expect(here.description).not.toContain("not on this machine");
  expect(there.description).toContain(
    "The kernel is not on this machine: it runs in the Jupyter gateway lab.\n\n- The project's files are not there",
  );
  expect(there.description).toContain("- Use `bash` for programs and files of the project.\n");
  expect(promptFor(there.description, ["python", "read", "write"])).not.toContain("bash");
});
