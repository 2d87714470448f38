/** omp's own file tools run outside the sandbox, and cells call them: they show and change no more than programs inside can. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openServices, type Services } from "../../src/app/services.ts";
import { callTool } from "../../src/app/tool-call.ts";
import type { ToolResult } from "../../src/protocol/index.ts";
import { temporaryPlace } from "../support/home.ts";
import { slow } from "../support/limits.ts";
import { describeWithPython, testPython } from "../support/python.ts";

const SECRET = "sk-secret";
const place = temporaryPlace({ lasts: "file" });
const key = join(place.home, ".ssh/id_ed25519");
const log = join(place.home, ".omp/agent/omp-sessions/log.jsonl");
let services: Services;

beforeAll(async () => {
  for (const file of [key, log]) {
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, SECRET);
  }
  writeFileSync(join(place.home, "notes"), `not ${SECRET}`);
  symlinkSync(join(place.home, ".ssh"), join(place.project, "keys"));
  const env = { HOME: place.home, PATH: process.env["PATH"], VIRTUAL_ENV: testPython.venv };
  const io = { stderr: () => undefined };
  services = await openServices({ env, cwd: place.project }, io, { sandbox: "workspace" });
});
afterAll(async () => {
  await services.close();
});

async function call(name: string, input: unknown): Promise<ToolResult> {
  return await callTool(services, {
    ...{ name, input, dryRun: false, signal: new AbortController().signal },
    ...{ onUpdate: () => undefined, onBug: (report: string) => expect(report).toBe("") },
  });
}

const runCell = async (code: string) => (await call("python", { cells: [{ code }], timeout: 120 })).output;

test("what is hidden from programs is not read, listed or searched, under any name", async () => {
  const calls = [
    ["read", { path: key }],
    ["read", { path: "~/.ssh/id_ed2551" }],
    ["read", { path: "keys/id_ed25519" }],
    ["read", { path: log }],
    ["edit", { path: "keys/id_ed25519", edits: [{ old_text: "sk-", new_text: "" }] }],
    ["grep", { pattern: "sk-", path: "keys" }],
    ["grep", { pattern: "sk-", glob: "keys/id_ed25519" }],
    ["find", { pattern: "*", path: "~/.ssh" }],
    ["ls", { path: "keys" }],
  ] as const;
  const shown = (name: string) => (name.startsWith("~") ? join(place.home, name.slice(2)) : name);
  const refused = (name: string, path: string, done: string) =>
    `${name}: '${shown(path)}' cannot be ${done}: the sandbox does not allow it (SANDBOX)`;
  expect(
    (await Promise.all(calls.map(([name, input]) => call(name, input)))).map(({ output }) => output),
  ).toEqual([
    refused("read", key, "read"),
    refused("read", "~/.ssh/id_ed2551", "read"),
    refused("read", "keys/id_ed25519", "read"),
    refused("read", log, "read"),
    refused("edit", "keys/id_ed25519", "written"),
    refused("grep", "keys", "searched"),
    refused("grep", "keys/id_ed25519", "searched"),
    refused("find", "~/.ssh", "searched"),
    refused("ls", "keys", "listed"),
  ]);
});

test("a search of what is above shows what programs see there", async () => {
  const found = await call("grep", {
    pattern: "sk-",
    path: place.home,
    glob: "**/{.ssh,.omp,}/**/*",
    mode: "files",
  });
  const files = await call("find", { pattern: "**/{.ssh,.omp}/**/id*", path: place.home });
  expect([found.output.includes("id_ed25519"), files.output.includes("id_ed25519")]).toEqual([false, false]);
  expect((await call("grep", { pattern: "sk-", path: place.home })).output).toBe(
    `${join(place.home, "notes")}\n1:not ${SECRET}`,
  );
});

test("what programs see is read as before, and so are artifacts", async () => {
  expect((await call("read", { path: join(place.home, "notes") })).output).toBe(`1|not ${SECRET}`);
  const { details } = await call("bash", { command: "echo kept" });
  expect((await call("read", { path: `artifact://${details.artifact}` })).output).toBe("1|kept");
});

describeWithPython(testPython, "a cell", () => {
  test("has no way around it in the calls that it makes", async () => {
    expect(
      await runCell(`
try:
    print(omp.tools.read(path=${JSON.stringify(key)}).text)
except omp.ToolError as error:
    print("SANDBOX" in str(error))`),
    ).toBe("True");
  });

  // Which of many tries meets the moment is chance: without what holds the directory about every tenth does.
  const SWAPPING = `
import ctypes, os, threading

os.makedirs("swapped/directory/below", exist_ok=True)
os.symlink(${JSON.stringify(place.home)}, "swapped/link")
libc = ctypes.CDLL(None)
exchange, here = 2, -100
is_over = False

def swap():
    while not is_over:
        libc.renameat2(here, b"swapped/directory", here, b"swapped/link", exchange)

def attempt(tool, **given):
    try:
        return omp.tools[tool](**given).text
    except omp.ToolError:
        return ""

swapping = threading.Thread(target=swap)
swapping.start()
read = []
for number in range(150):
    attempt("write", path=f"swapped/directory/written-{number}", content="x")
    attempt("write", path=f"swapped/directory/new-{number}/written", content="x")
    read.append(attempt("read", path="swapped/directory/.ssh/id_ed25519"))
    read.append(attempt("ls", path="swapped/directory/.ssh"))
is_over = True
swapping.join()
print(any("${SECRET}" in text or "id_ed25519" in text for text in read))`;

  test.if(process.platform === "linux")(
    "that puts a link in a directory's place meanwhile writes and reads nothing behind it",
    async () => {
      const before = readdirSync(place.home).sort();
      expect(await runCell(SWAPPING)).toBe("False");
      expect(readdirSync(place.home).sort()).toEqual(before);
      expect(readFileSync(key, "utf8")).toBe(SECRET);
    },
    slow(60, "600 calls from a cell"),
  );
});
