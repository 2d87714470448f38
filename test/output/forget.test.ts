import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { ArtifactStore } from "../../src/output/artifacts.ts";
import { OutputSink } from "../../src/output/sink.ts";
import { modelTail } from "../../src/output/truncation.ts";
import { temporaryDirectory } from "../support/home.ts";

test("what a cleared screen held is not for the model, and is still in the artifact and on the screen", () => {
  const artifacts = new ArtifactStore({ directory: temporaryDirectory(), maxTotalBytes: 1e6, maxAgeMs: 1e6 });
  let seen = "";
  const sink = new OutputSink({
    policy: modelTail,
    artifacts,
    onText: (text) => {
      seen += text;
    },
  });
  sink.write("kept\n");
  sink.mark();
  sink.write("step 1\nhalf a li");
  sink.forget();
  sink.write("step 2\n");
  sink.forget();
  sink.write("step 3\n");
  const captured = sink.finish();
  expect(captured).toMatchObject({ text: "kept\nstep 3\n", truncated: false, notice: undefined });
  const everything = "kept\nstep 1\nhalf a listep 2\nstep 3\n";
  expect(seen).toBe(everything);
  expect(readFileSync(artifacts.find(captured.artifact ?? "") ?? "", "utf8")).toBe(everything);
});

test("forgetting without a mark forgets all, however much it was", () => {
  const sink = new OutputSink({ policy: modelTail });
  for (let line = 0; line < 10_000; line += 1) sink.write(`line ${line}\n`);
  sink.forget();
  sink.write("é".slice(0, 1));
  expect(sink.finish().text).toBe("é");
});
