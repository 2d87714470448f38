/**
 * `npm run record`: remakes the pictures in docs/pictures from real sessions in a real pty. `npm run record -- <name> …` only these.
 * Needs what `npm test` sets up: the emulator, and a Python with pandas and matplotlib.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { drawSvg, type Frame } from "./record/picture.ts";
import { makeProject } from "./record/project.ts";
import { type Scene, scenes } from "./record/scenes.ts";
import { RecordedTerminal } from "./record/terminal.ts";

const root = resolve(import.meta.dir, "..");
const pictures = join(root, "docs", "pictures");
const names = process.argv.slice(2);
const unknown = names.filter((name) => !scenes.some((scene) => scene.name === name));

if (unknown.length > 0) {
  const known = scenes.map(({ name }) => name).join(" | ");
  process.stderr.write(`unknown: ${unknown.join(", ")}; usage: npm run record [-- ${known}]\n`);
  process.exitCode = 2;
} else {
  mkdirSync(pictures, { recursive: true });
  for (const scene of scenes.filter(({ name }) => names.length === 0 || names.includes(name))) {
    const svg = drawSvg(await record(scene), scene.title);
    writeFileSync(join(pictures, `${scene.name}.svg`), svg);
    process.stderr.write(`docs/pictures/${scene.name}.svg (${Math.round(svg.length / 1024)} KB)\n`);
  }
}

async function record(scene: Scene): Promise<Frame[]> {
  const home = mkdtempSync(join(tmpdir(), "omp-record-"));
  const project = makeProject(home);
  const script = join(home, "script.json");
  writeFileSync(script, JSON.stringify({ turns: scene.turns }));
  const terminal = new RecordedTerminal({
    argv: [join(root, "bin", "omp"), "--model", `script:${script}`, ...(scene.args ?? [])],
    cwd: project,
    columns: scene.columns,
    rows: scene.rows,
    env: {
      PATH: process.env["PATH"],
      HOME: home,
      LANG: "C.UTF-8",
      TERM: "xterm-256color",
      COLORTERM: "truecolor",
      VIRTUAL_ENV: join(root, ".venv"),
      MPLBACKEND: undefined,
    },
  });
  const frames: Frame[] = [];
  try {
    await scene.play(terminal, (ms) => frames.push({ picture: terminal.picture(), ms }));
    return frames;
  } finally {
    await terminal.end();
    rmSync(home, { recursive: true, force: true });
  }
}
