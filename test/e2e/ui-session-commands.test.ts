/** `/copy`, `/diff`, `/new`, `/init`, what was loaded at the start, and the window's title, in one session of a person. */

import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { done, ringWhenDone } from "../support/at-rest.ts";
import { type TestPlace, temporaryPlace } from "../support/home.ts";
import { openScreen } from "../support/screen.ts";
import { scriptModel } from "../support/script-model.ts";

/** With a commit, and a change that was there before the session. */
function makeRepository({ home, project }: TestPlace): void {
  const git = (...args: readonly string[]) => {
    const identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
    const env = { PATH: process.env["PATH"], HOME: home };
    const { exitCode, stderr } = Bun.spawnSync(["git", ...identity, ...args], { cwd: project, env });
    if (exitCode !== 0) throw new Error(stderr.toString());
  };
  for (const name of ["earlier.txt", "sub.txt", "gone.txt"]) writeFileSync(join(project, name), "one\ntwo\n");
  git("init", "-q");
  git("add", "earlier.txt", "sub.txt", "gone.txt");
  git("commit", "-q", "-m", "first");
  writeFileSync(join(project, "earlier.txt"), "one\nchanged before the session\n");
}

/** A program that keeps what it is given. @returns the PATH with it. */
function withFakeXclip({ home }: TestPlace): string {
  const directory = join(home, "bin");
  mkdirSync(directory);
  writeFileSync(join(directory, "xclip"), `#!/bin/sh\necho "$@" > "$HOME/args"\ncat > "$HOME/copied"\n`);
  chmodSync(join(directory, "xclip"), 0o755);
  return `${directory}:${process.env["PATH"]}`;
}

test("copies the answer, shows what changed, starts anew and goes back", async () => {
  const place = temporaryPlace();
  ringWhenDone(place);
  writeFileSync(join(place.project, "AGENTS.md"), "Be kind.\n");
  const script = scriptModel(place, [
    {
      toolCalls: [
        { name: "write", input: { path: "new.txt", content: "brand new\n" } },
        { name: "bash", input: { command: "echo three >> sub.txt; rm gone.txt" } },
      ],
    },
    { text: "An **answer** of\n\ntwo paragraphs." },
    { text: "I have looked." },
  ]);
  makeRepository(place);
  const env = { PI_PY: "0", PATH: withFakeXclip(place), DISPLAY: ":9", WAYLAND_DISPLAY: undefined };
  const screen = openScreen({ place, args: ["-m", script], env, columns: 100, rows: 50 });
  await screen.waitFor(
    ({ text }) => text.includes("AGENTS.md loaded") && text.includes("script:script.json"),
  );
  expect(screen.raw).not.toContain("* omp project");
  screen.type("/copy\r");
  await screen.waitFor("No answer to copy yet.");
  screen.type("/diff\r");
  await screen.waitFor("No files have changed in this session.");

  await done(screen, "go");
  // While it worked the title said so, and it does no more.
  const titles = screen.raw.split("\x1b]0;").map((text) => text.split("\x07")[0]);
  expect(titles.slice(-2)).toEqual(["* omp project", "omp project"]);
  screen.type("/copy\r");
  await screen.waitFor("Copied the last answer: 3 lines.");
  const answer = "An **answer** of\n\ntwo paragraphs.";
  expect(screen.raw).toContain(`\x1b]52;c;${btoa(answer)}\x07`);
  expect(readFileSync(join(place.home, "copied"), "utf8")).toBe(answer);
  expect(readFileSync(join(place.home, "args"), "utf8")).toBe("-selection clipboard\n");

  screen.type("/diff\r");
  await screen.waitFor(({ text }) => text.includes("Changed in this session: 3 files, +2 -2"));
  for (const line of ["+brand new", "+three", "-one"]) expect(screen.text).toContain(`\n${line}\n`);
  expect(screen.text).not.toContain("changed before the session");
  screen.type("q");
  await screen.waitFor("❯ Ask");

  screen.type("/new\r");
  await screen.waitFor(/ New session\. To return to the previous one: \/resume [0-9a-f]{8}$/m);
  await screen.waitFor(({ text }) => !text.includes("two paragraphs") && text.includes("❯ Ask"));
  const id = /\/resume ([0-9a-f]{8})/.exec(screen.text)?.[1];
  await done(screen, `/resume ${id}`);
  await screen.waitFor(({ text }) => text.includes(`Resumed ${id}`) && text.includes("two paragraphs."));
  // The session's own changes, also of its first run.
  screen.type("/diff\r");
  await screen.waitFor("Changed in this session: 3 files, +2 -2");
  screen.type("q");
  await screen.waitFor("❯ Ask");
  screen.type("/init\r");
  await screen.waitFor("❯ Write AGENTS.md at the root of this project");
});
