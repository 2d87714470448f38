import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { helpersFile, helpersText } from "../../../scripts/python-helpers.ts";
import { localKernels } from "../../support/kernels.ts";
import { describeWithPython, testPython } from "../../support/python.ts";

describeWithPython(testPython, "the prompt", () => {
  test("lists the helpers as a kernel describes them (bun scripts/python-helpers.ts writes them)", async () => {
    const { kernels, home } = localKernels();
    const kernel = await kernels.startKernel({ cwd: home });
    expect(readFileSync(helpersFile, "utf8")).toBe(helpersText(kernel.facts.helpers));
  });
});
