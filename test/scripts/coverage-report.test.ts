import { expect, test } from "bun:test";
import { coverageReport } from "../../scripts/lib/coverage-report.ts";

test("files that no test loads count as uncovered, those with types only not at all", () => {
  const lcov = [
    "TN:\nSF:src/a.ts\nFNF:1\nDA:1,1\nDA:2,0\nLF:4\nLH:3\nend_of_record",
    "TN:\nSF:test/b.test.ts\nLF:9\nLH:9\nend_of_record\n",
  ].join("\n");
  const sources = [
    { file: "src/a.ts", text: "" },
    { file: "src/types.ts", text: "export interface A {\n  a: number;\n}\n" },
    { file: "src/unseen.ts", text: '/** Why. */\nimport { x } from "./x.ts";\n\nconsole.log(x);\n' },
  ];
  expect(coverageReport(lcov, sources).split("\n")).toEqual([
    "The 2 least covered files (what runs only in an omp that a test starts is not counted):",
    "    0.0 %  src/unseen.ts (0 of 1)",
    "   75.0 %  src/a.ts (3 of 4)",
    "lines of src covered: 60.0 % (3 of 5)",
    "",
  ]);
});
