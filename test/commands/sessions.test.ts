/** `omp sessions` on logs of every kind. */

import { beforeEach, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runSessions, type SessionsAction } from "../../src/commands/sessions.ts";
import { ompPaths } from "../../src/config/paths.ts";
import { SessionStore } from "../../src/history/store.ts";
import { ArtifactStore } from "../../src/output/artifacts.ts";
import type { AgentEvent, ToolDetails } from "../../src/protocol/index.ts";
import { assistant, call, result, user } from "../history/sessions.ts";
import { capturedIo } from "../support/captured-io.ts";
import { type TestPlace, temporaryPlace } from "../support/home.ts";

let place: TestPlace;
let store: SessionStore;
beforeEach(() => {
  place = temporaryPlace();
  store = new SessionStore(ompPaths({ env: { HOME: place.home } }));
});

async function sessions(action: SessionsAction) {
  const { io, out } = capturedIo();
  const exitCode = await runSessions(action, io, { env: { HOME: place.home }, cwd: place.project });
  return { exitCode, ...out };
}

function kept(...events: readonly AgentEvent[]): string {
  const log = store.create(place.project);
  for (const event of events) log.append(event);
  log.close();
  return log.id;
}

const toolCall = (id: string, input: unknown, name = "bash"): AgentEvent => ({
  type: "tool_call",
  id,
  name,
  input,
});
const png = "iVBORw0KGgo=";

/** With what could break out of Markdown or HTML, and a terminal. */
function eventful(): string {
  return kept(
    user('<script>alert("1")</script> & \u001b[31mred\u001b[0m'),
    assistant("Let me **see**.", call("a"), call("b")),
    toolCall("a", { command: "cat x" }),
    toolCall("b", { path: "p", limit: 3 }, "read"),
    {
      type: "tool_result",
      id: "a",
      name: "bash",
      result: { isError: true, output: "```\nno\n```", details: {} },
    },
    {
      type: "tool_result",
      id: "b",
      name: "read",
      result: {
        isError: false,
        output: "a picture",
        images: [
          { mediaType: "image/png", base64: png },
          { mediaType: 'image/png" onload="alert(1)', base64: png },
        ],
        details: {},
      },
    },
    { type: "compacted", summary: "so far", tokensBefore: 9, keptUserMessages: 0 },
    toolCall("c", { command: "sleep 1000" }),
    { type: "end", status: "interrupted", text: "", turns: 1, usage: usage },
  );
}
const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };

describe("list", () => {
  test("says so when there are none", async () => {
    expect(await sessions({ name: "list" })).toEqual({
      exitCode: 0,
      stdout: "No sessions yet.\n",
      stderr: "",
    });
    expect((await sessions({ name: "list", json: true })).stdout).toBe("[]\n");
  });

  test("a line each, and the same as JSON", async () => {
    const id = kept(user("one\u001b[2Jtwo"));
    const { stdout } = await sessions({ name: "list" });
    expect(stdout).toBe(
      `${id.slice(0, 8)}  ${new Date().toISOString().slice(0, 10)} ${stdout.slice(21, 26)}  ${place.project}  one [2Jtwo\n`,
    );
    const [found] = JSON.parse((await sessions({ name: "list", json: true })).stdout);
    expect(found).toEqual({
      id,
      title: "one [2Jtwo",
      cwd: place.project,
      created_at: expect.any(String),
      changed_at: expect.any(String),
      bytes: expect.any(Number),
      parent: null,
      path: store.find(id).path,
    });
  });
});

test("a directory's name cannot make two lines of one, nor tell the terminal anything", async () => {
  const log = store.create("/a\n\u001b[2Jb");
  log.append(user("hi"));
  log.close();
  expect((await sessions({ name: "list" })).stdout.slice(26)).toBe("  /a [2Jb  hi\n");
});

describe("show", () => {
  test("the conversation, with long output cut and nothing for the terminal to obey", async () => {
    const long = Array.from({ length: 100 }, (_, index) => `line ${index}`).join("\n");
    const id = kept(user("\u001b[31mgo"), toolCall("a", { command: "seq" }), result("a", long));
    const { stdout } = await sessions({ name: "show", id: id.slice(0, 10) });
    expect(stdout).toContain("## 1. User\n\ngo\n\n### `bash`\n\n```bash\nseq\n```\n\n```\nline 0\n");
    expect(stdout).toContain("line 9\n[… 80 lines …]\nline 90\n");
  });

  test("--json has every entry", async () => {
    const id = eventful();
    const { session, entries } = JSON.parse((await sessions({ name: "show", id, json: true })).stdout);
    expect(session.id).toBe(id);
    expect(entries.map(({ type }: { type: string }) => type)).toEqual([
      ...["opened", "user", "assistant", "tool_call", "tool_call", "tool_result", "tool_result"],
      ...["compacted", "tool_call", "end", "closed"],
    ]);
  });

  test("one that is not there", async () => {
    expect(await sessions({ name: "show", id: "nope" })).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: "session: no session 'nope'; see: omp sessions list (ENOENT)\n",
    });
  });
});

describe("export", () => {
  test("Markdown on stdout: every word, and no output ends its own block", async () => {
    const { stdout } = await sessions({ name: "export", id: eventful() });
    expect(stdout.split("\n").slice(5).join("\n")).toBe(`## User

<script>alert("1")</script> & red

## Assistant

Let me **see**.

### \`bash\` (failed)

\`\`\`bash
cat x
\`\`\`

\`\`\`\`
\`\`\`
no
\`\`\`
\`\`\`\`

### \`read\`

\`\`\`json
{
  "path": "p",
  "limit": 3
}
\`\`\`

\`\`\`
a picture
\`\`\`

[image, image/png, 9 bytes]

[image, image/png" onload="alert(1), 9 bytes]

> The conversation so far was compacted:
>
> so far

### \`bash\` (failed)

\`\`\`bash
sleep 1000
\`\`\`

\`\`\`
[no result: omp ended first]
\`\`\`

> Interrupted by the user.
`);
  });

  test("HTML in a private file: self-contained, escaped, with pictures inside and output folded", async () => {
    const id = eventful();
    expect(await sessions({ name: "export", id, output: "session.html" })).toEqual({
      exitCode: 0,
      stdout: "",
      stderr: "",
    });
    const file = join(place.project, "session.html");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const html = readFileSync(file, "utf8");
    expect(html).toContain("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; red");
    expect(html).toContain(`<img alt="" src="data:image/png;base64,${png}">`);
    expect(html).toContain('<details class="failed"><summary><b>bash</b> cat x</summary><pre>cat x</pre>');
    expect(html).toContain("prefers-color-scheme: dark");
    // Every tag that is in it; nothing of the conversation became one, and nothing is loaded.
    const tags = new Set([...html.matchAll(/<([a-z][a-z0-9]*)/g)].map(([, tag]) => tag ?? ""));
    expect([...tags].sort()).toEqual(
      [
        ...["b", "body", "details", "div", "h1", "head", "header", "html", "img", "main", "meta", "p", "pre"],
        ...["section", "strong", "style", "summary", "title"],
      ].sort(),
    );
    expect(html).not.toMatch(/https?:|onload=/);
    expect(html).not.toContain("\u001b");
    expect([...html.matchAll(/<img/g)]).toHaveLength(1);
  });

  const html = async (...events: readonly AgentEvent[]) =>
    (await sessions({ name: "export", id: kept(...events), format: "html" })).stdout;

  test("answers in HTML are rendered Markdown", async () => {
    const text = [
      "# Plan\n\nUse `a < b` and *both*, ~~not~~ **this**:\n\n1. one\n2. two\n   - [x] done\n\n> so\n",
      "| name | n |\n| --- | --: |\n| <b>x</b> | 1 |\n",
      '```python\nif a < b and "c":\n    pass\n```\n\n```diff\n-old <i>\n+new\n```\n',
      "[good](https://example.org/?a=1&b=2) [bad](javascript:alert(1)) ![pic](https://example.org/x.png) <script>alert(1)</script>",
    ].join("\n");
    const page = await html(user("# as *typed*"), assistant(text));
    expect(page).toContain('<div class="text"># as *typed*</div>');
    expect(page).toContain(
      "<h2>Plan</h2><p>Use <code>a &lt; b</code> and <em>both</em>, <del>not</del> <strong>this</strong>:</p>",
    );
    expect(page).toContain('<ol start="1"><li>one</li><li>two<ul><li>☑ done</li></ul></li></ol>');
    expect(page).toContain("<blockquote><p>so</p></blockquote>");
    expect(page).toMatch(/<table>.*<th>name<\/th>.*<td>&lt;b&gt;x&lt;\/b&gt;<\/td><td>1<\/td>.*<\/table>/s);
    expect(page).toContain("<pre>if a &lt; b and &quot;c&quot;:\n    pass\n</pre>");
    expect(page).toContain(
      '<pre><span class="remove">-old &lt;i&gt;</span>\n<span class="add">+new</span>\n</pre>',
    );
    expect(page).toContain(
      '<a href="https://example.org/?a=1&amp;b=2" rel="noreferrer">good</a> bad [pic: https://example.org/x.png]',
    );
    expect(page).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(page).not.toMatch(/<(?:script|img|i|b)>|javascript:/);
  });

  test("changes of files in HTML are diffs: what changed where it is known, else what was asked for", async () => {
    const edits = [{ old_text: "a < 1", new_text: "a < 2" }];
    const done = (id: string, details: Record<string, unknown>): AgentEvent => ({
      type: "tool_result",
      id,
      name: "edit",
      result: { isError: false, output: "Edited x", details },
    });
    const diff = "--- x\n+++ x\n@@ -1,2 +1,2 @@\n-a < 1\n--- b\n+a < 2\n rest\n";
    const page = await html(
      toolCall("a", { path: "x", edits }, "edit"),
      done("a", { diff }),
      toolCall("b", { path: "x", edits }, "edit"),
      done("b", {}),
    );
    expect(page).toContain(
      '<pre><span class="hunk">--- x</span>\n<span class="hunk">+++ x</span>\n<span class="hunk">@@ -1,2 +1,2 @@</span>\n<span class="remove">-a &lt; 1</span>\n<span class="remove">--- b</span>\n<span class="add">+a &lt; 2</span>\n rest\n</pre><pre>Edited x</pre>',
    );
    expect(page).toContain(
      '<pre>path: x\n\n<span class="remove">-a &lt; 1</span>\n<span class="add">+a &lt; 2</span></pre><pre>Edited x</pre>',
    );
  });

  test("the format may be named, and a file that cannot be written is told", async () => {
    const id = eventful();
    expect((await sessions({ name: "export", id, format: "html" })).stdout).toStartWith("<!doctype html>");
    const file = join(place.project, "no", "x.md");
    expect(await sessions({ name: "export", id, output: file })).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: `sessions: cannot write ${file} (ENOENT)\n`,
    });
  });
});

describe("a session of a newer omp", () => {
  function newer(): string {
    const id = kept(user("from tomorrow"));
    const { path } = store.find(id);
    writeFileSync(path, readFileSync(path, "utf8").replace('"version":1', '"version":2'));
    return id;
  }

  test("is refused in one line, and left as it is", async () => {
    const id = newer();
    const before = readFileSync(store.find(id).path, "utf8");
    const refused = {
      exitCode: 2,
      stdout: "",
      stderr: `session: session ${id} was written by a newer omp (log version 2, this omp knows 1); update omp (NEWER_VERSION)\n`,
    };
    expect(await sessions({ name: "show", id })).toEqual(refused);
    expect(await sessions({ name: "export", id })).toEqual(refused);
    expect(() => store.resume(store.find(id), place.project)).toThrow(refused.stderr.trim());
    expect(() => store.fork(store.find(id), place.project)).toThrow("NEWER_VERSION");
    expect(readFileSync(store.find(id).path, "utf8")).toBe(before);
  });

  test("is not one whose log says nothing about its version", async () => {
    const id = kept(user("from yesterday"));
    const { path } = store.find(id);
    writeFileSync(path, readFileSync(path, "utf8").replace('"version":1,', ""));
    expect((await sessions({ name: "show", id })).exitCode).toBe(0);
  });

  test("is in the list, and can be removed", async () => {
    const id = newer();
    expect((await sessions({ name: "list" })).stdout).toContain("from tomorrow");
    expect((await sessions({ name: "rm", ids: [id] })).stdout).toBe(`removed ${id}\n`);
  });
});

describe("rm", () => {
  test("removes a session's artifacts, but for those that a copy still names", async () => {
    const artifacts = new ArtifactStore({
      directory: join(place.home, ".omp", "agent", "artifacts"),
      maxTotalBytes: 1e9,
      maxAgeMs: 1e9,
    });
    const made = () => {
      const writer = artifacts.create();
      writer.close();
      return writer.id;
    };
    const [text, errors, picture, ran, later, foreign] = [made(), made(), made(), made(), made(), made()];
    const named = (details: ToolDetails): AgentEvent => ({
      type: "tool_result",
      id: "a",
      name: "python",
      result: { isError: false, output: `see artifact://${foreign}`, details },
    });
    const original = kept(
      user(`look at artifact://${foreign}`),
      toolCall("a", {}),
      named({
        artifact: text,
        stderrArtifact: errors,
        cells: [{ displays: [{ image: { artifact: picture } }] }],
      }),
      user("<user_ran …", { kind: "ran", tool: "bash", code: "ls", artifacts: [ran] }),
    );
    const copy = store.fork(store.find(original), place.project).log;
    copy.append(toolCall("a", {}));
    copy.append(named({ artifact: later }));
    copy.close();
    const left = () =>
      [text, errors, picture, ran, later, foreign].map((id) => artifacts.find(id) !== undefined);

    expect((await sessions({ name: "rm", ids: [original] })).stdout).toBe(`removed ${original}\n`);
    expect(left()).toEqual([true, true, true, true, true, true]);
    expect((await sessions({ name: "rm", ids: [copy.id] })).stdout).toBe(
      `removed ${copy.id} and 5 artifacts\n`,
    );
    expect(left()).toEqual([false, false, false, false, false, true]);
  });

  test("removes what it can and tells the rest", async () => {
    const [one, two] = [kept(user("1")), kept(user("2"))];
    const busy = store.create(place.project);
    busy.append(user("3"));
    expect(await sessions({ name: "rm", ids: [one, "nope", busy.id, two.slice(0, 13)] })).toEqual({
      exitCode: 2,
      stdout: `removed ${one}\nremoved ${two}\n`,
      stderr: [
        "session: no session 'nope'; see: omp sessions list (ENOENT)",
        `session: session ${busy.id} is open in another omp (pid ${process.pid}); close it there, or continue in a copy: omp --fork ${busy.id} (IN_USE)`,
        "",
      ].join("\n"),
    });
    expect(existsSync(busy.path)).toBe(true);
    busy.close();
    expect(store.list().map(({ id }) => id)).toEqual([busy.id]);
  });
});
