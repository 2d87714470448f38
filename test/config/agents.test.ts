import { beforeEach, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readAgents } from "../../src/config/agents.ts";
import { splitFrontMatter } from "../../src/config/front-matter.ts";
import { ompPaths } from "../../src/config/paths.ts";
import { readTrust, trustProject } from "../../src/config/trust.ts";
import { type TestPlace, temporaryPlace } from "../support/home.ts";

let place: TestPlace;
let paths: ReturnType<typeof ompPaths>;
beforeEach(() => {
  place = temporaryPlace();
  paths = ompPaths({ env: { HOME: place.home } });
});

function put(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
const inProject = (file: string, text: string) => put(join(place.project, file), text);
const inHome = (file: string, text: string) => put(join(place.home, file), text);
const agents = (isTrusted = true) => readAgents({ paths, project: { root: place.project, isTrusted } });

test("are Markdown files of the project and of the home, and the nearest of a name counts", () => {
  inProject(".omp/agents/review.md", "---\nname: review\ndescription: Reads diffs\n---\n\nYou review.\n");
  inProject(".claude/agents/review.md", "---\nname: review\n---\nNot this one.");
  inProject(".claude/agents/plain.md", "Just a role.");
  inHome(".omp/agent/agents/mine.md", "---\nmodel: openai/gpt-5-mini\ntools: read\n---\nMine.");
  inHome(".claude/agents/theirs.md", "---\nmodel: sonnet\ntools: Read, Glob, mcp__x__Y\n---\nTheirs.");
  const facts = agents().map(({ name, description, prompt, tools, model }) => [
    name,
    description,
    prompt,
    tools,
    model,
  ]);
  expect(facts).toEqual([
    ["review", "Reads diffs", "You review.", undefined, undefined],
    ["plain", "", "Just a role.", undefined, undefined],
    ["mine", "", "Mine.", ["read"], "openai/gpt-5-mini"],
    ["theirs", "", "Theirs.", ["read", "find", "mcp__x__Y"], undefined],
  ]);
});

test("a project's own count only when it is trusted, and a change is noticed", () => {
  inProject(".omp/agents/review.md", "You review.");
  inProject(".claude/agents/deep/no.md", "No agent, and watched.");
  inProject(".claude/agents/x.md", "You are X.");
  const subject = { root: place.project, cwd: place.project, trustFile: paths.trustFile };
  const wants = [".omp/agents/review.md", ".claude/agents/x.md"];
  expect(readTrust(subject)).toEqual({ state: "untrusted", wants, changes: [] });
  expect(agents(false)).toEqual([]);
  expect(trustProject(subject).state).toBe("trusted");
  inProject(".claude/agents/x.md", "You are somebody else.");
  expect(readTrust(subject)).toMatchObject({ state: "changed", changes: [".claude/agents/x.md"] });
});

test("what is no definition is left out", () => {
  inProject(".omp/agents/empty.md", "---\nname: empty\n---\n");
  inProject(".omp/agents/bad.md", "---\nname: bad name\n---\nRole.");
  inProject(
    ".omp/agents/open.md",
    "---\nname: open\ntools: read\n\nFront matter that never ends: its tools would be part of the role.",
  );
  inProject(".omp/agents/notes.txt", "Role.");
  inHome("secret.md", "Outside the project.");
  symlinkSync(join(place.home, "secret.md"), join(place.project, ".omp/agents/link.md"));
  expect(agents()).toEqual([]);
});

test("front matter is read as people write it", () => {
  const { fields, text } = splitFrontMatter(
    '---\r\nname: "x"\r\n# no field\r\ndescription: Use this: always\r\n  and often\r\ntools:\r\n  - Read\r\n  - "grep"\r\nlong: >\r\n  folded\r\n  text\r\nnone:\r\n---\r\nText.\r\n---\r\nMore.',
  );
  expect(fields.text("name")).toBe("x");
  expect(fields.text("description")).toBe("Use this: always and often");
  expect(fields.list("tools")).toEqual(["Read", "grep"]);
  expect(fields.text("long")).toBe("folded text");
  expect([fields.text("none"), fields.text("missing"), fields.list("missing")]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(text).toBe("Text.\r\n---\r\nMore.");
  expect(splitFrontMatter("No front matter.\n---\n").text).toBe("No front matter.\n---");
});
