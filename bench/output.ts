/**
 * Speed and memory of the output sink: `bun bench/output.ts [MB]`. Each kind of output is measured in its own process, so that
 * memory is not mixed up.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ArtifactStore } from "../src/output/artifacts.ts";
import { OutputSink } from "../src/output/sink.ts";
import { modelTail } from "../src/output/truncation.ts";

const CHUNK_SIZE = 65_536;
const LINE = "2031-04-05 06:07:08 INFO a plain line of a log with a number 12345 and a few more words\n";

interface Scenario {
  readonly sample: string;
  readonly artifact?: true;
  readonly live?: true;
}

const scenarios: Readonly<Record<string, Scenario>> = {
  "plain text": { sample: LINE },
  "plain text, artifact": { sample: LINE, artifact: true },
  "plain text, artifact, live": { sample: LINE, artifact: true, live: true },
  "UTF-8 text": { sample: `é ✓ 日本語 ${LINE}` },
  "CRLF text": { sample: LINE.replace("\n", "\r\n") },
  "coloured text": { sample: `\x1b[32m2031-04-05\x1b[0m \x1b[1mINFO\x1b[0m ${LINE}` },
  "very short lines": { sample: "y\n" },
  "one endless line": { sample: "0123456789abcdef" },
  "progress bar": { sample: "\r 42%|████████▎           | 420/1000 [00:04<00:06, 97.31it/s]" },
  "progress bar, wide characters": { sample: "\r🚀 42% 日本 [00:04<00:06, 97.31it/s]" },
  "Latin-1 text": { sample: `caf\xe9 ${LINE}` },
  "binary data": { sample: "" },
};

function makeChunk(name: string, { sample }: Scenario): Buffer {
  if (name === "binary data") return Buffer.from(crypto.getRandomValues(new Uint8Array(CHUNK_SIZE)));
  const encoding = name === "Latin-1 text" ? "latin1" : "utf8";
  return Buffer.alloc(CHUNK_SIZE, Buffer.from(sample, encoding));
}

function measure(name: string, scenario: Scenario, megabytes: number): string {
  const directory = mkdtempSync(join(tmpdir(), "omp-bench-"));
  try {
    const artifacts = new ArtifactStore({ directory, maxTotalBytes: 2 ** 40, maxAgeMs: 1e9 });
    let liveCharacters = 0;
    const sink = new OutputSink({
      policy: modelTail,
      artifacts: scenario.artifact === true ? artifacts : undefined,
      onText: scenario.live === true ? (text) => (liveCharacters += text.length) : undefined,
    });
    const chunk = makeChunk(name, scenario);
    const chunks = Math.ceil((megabytes * 1e6) / CHUNK_SIZE);
    const before = process.memoryUsage.rss();
    let peak = before;
    const start = performance.now();
    for (let count = 0; count < chunks; count++) {
      sink.write(chunk);
      if (count % 64 === 0) peak = Math.max(peak, process.memoryUsage.rss());
    }
    sink.finish();
    const seconds = (performance.now() - start) / 1000;
    const speed = ((chunks * CHUNK_SIZE) / 1e6 / seconds).toFixed(0).padStart(6);
    const growth = ((peak - before) / 2 ** 20).toFixed(1).padStart(6);
    return `${name.padEnd(32)} ${speed} MB/s   RSS +${growth} MB`;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const [megabytesArgument = "1000", only] = process.argv.slice(2);
const megabytes = Number(megabytesArgument);
const scenario = only === undefined ? undefined : scenarios[only];
if (only !== undefined && scenario !== undefined) {
  process.stdout.write(`${measure(only, scenario, megabytes)}\n`);
} else {
  for (const name of Object.keys(scenarios)) {
    Bun.spawnSync([process.execPath, import.meta.path, megabytesArgument, name], {
      stdio: ["ignore", "inherit", "inherit"],
    });
  }
}
