import { expect, test } from "bun:test";
import { collapseFrames, keepUserFrames } from "../../../src/tools/python/traceback.ts";
import { describeWithPython, testPython } from "../../support/python.ts";
import { pythonSession } from "./python-session.ts";

const colour = (text: string) => `\u001b[36m${text}\u001b[39m`;

test("frames that repeat without an end are left out in the middle, others never", () => {
  const repeated = [
    "head",
    ...Array.from({ length: 900 }, (_, at) => `File a.py:${at % 3}`),
    "RecursionError: depth",
  ];
  const shown = collapseFrames(repeated);
  expect(shown).toHaveLength(17);
  expect([shown[0], shown[8], shown.at(-1)]).toEqual([
    "head",
    "[… 886 similar frames left out …]\n",
    "RecursionError: depth",
  ]);
  const different = Array.from({ length: 300 }, (_, at) => `File b.py:${at}`);
  expect(collapseFrames(different)).toEqual(different);
});

test("our frames and what they called are left out, in each of several errors", () => {
  expect(
    keepUserFrames([
      "-----",
      "KeyError   Traceback (most recent call last)",
      `${colour("Cell In[1], line 1")}\n----> 1 grep('x')`,
      `${colour("File <omp files.py>:10")}, in grep`,
      `${colour("File /usr/lib/python3/re.py:5")}, in compile`,
      "KeyError: 'x'",
      "\nDuring handling of the above exception, another exception occurred:\n",
      "ValueError   Traceback (most recent call last)",
      "File /home/ada/mine.py:3, in f",
      "ValueError: y",
    ]),
  ).toEqual([
    "-----",
    "KeyError   Traceback (most recent call last)",
    `${colour("Cell In[1], line 1")}\n----> 1 grep('x')`,
    "KeyError: 'x'",
    "\nDuring handling of the above exception, another exception occurred:\n",
    "ValueError   Traceback (most recent call last)",
    "File /home/ada/mine.py:3, in f",
    "ValueError: y",
  ]);
});

describeWithPython(testPython, "an error in one of our helpers", () => {
  test("points at the user's line", async () => {
    const python = await pythonSession({ python: testPython });
    const { output } = await python.run("read_text('missing.txt')");
    expect(output).toContain("----> 1 read_text('missing.txt')");
    expect(output).toContain("FileNotFoundError");
    expect(output).not.toContain("<omp");
  });
});
