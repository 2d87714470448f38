/** Tools of servers that nobody here wrote. */

import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { call, mcpPlace, peers } from "./session.ts";

const at = mcpPlace();

describe("server-everything", () => {
  test("its tools are the session's: text, values, pictures, errors, and only the variables that it names", async () => {
    at().addServers({ every: { ...peers.everything, env: { NAMED: `\${GIVEN}` } } });
    const services = await at().open({}, { GIVEN: "value", OPENAI_API_KEY: "secret", OTHER: "x" });
    expect(at().stderr).toEqual([]);
    expect(await call(services, "mcp__every__echo", { message: "hi" })).toMatchObject({
      isError: false,
      output: "Echo: hi",
      details: { server: "every", tool: "echo", totalLines: 1 },
    });

    const value = await call(services, "mcp__every__get-structured-content", { location: "Chicago" });
    const { structured } = value.details;
    expect(structured).toMatchObject({ temperature: expect.any(Number) });
    expect(JSON.parse(value.output)).toEqual(structured);

    const picture = await call(services, "mcp__every__get-tiny-image");
    expect(picture.images).toEqual([{ mediaType: "image/png", base64: expect.stringMatching(/^iVBOR/) }]);

    const { output } = await call(services, "mcp__every__get-env");
    const { PATH, HOME, LANG, ...named } = JSON.parse(output);
    expect([HOME, LANG, named]).toEqual([at().place.home, "C.UTF-8", { NAMED: "value" }]);

    expect(await call(services, "mcp__every__echo", {})).toMatchObject({
      isError: true,
      output: "mcp__every__echo: input must have required property 'message' (INVALID_INPUT)",
    });
    expect(await call(services, "mcp__every__get-resource-links", { count: 1 })).toMatchObject({
      isError: false,
      output: expect.stringContaining("demo://resource/"),
    });
  });

  test("progress is shown while a call runs, and an abort ends the call", async () => {
    at().addServers({ every: peers.everything });
    const services = await at().open();
    const name = "mcp__every__trigger-long-running-operation";
    const lines: string[] = [];
    const done = await call(
      services,
      name,
      { duration: 0.05, steps: 2 },
      { onUpdate: (line) => lines.push(line) },
    );
    expect(done.output).toContain("completed");
    expect(lines[0]).toStartWith("1/2");

    const abort = new AbortController();
    const running = call(
      services,
      name,
      { duration: 3_000, steps: 30_000 },
      { signal: abort.signal, onUpdate: () => abort.abort() },
    );
    expect(await running).toMatchObject({
      isError: true,
      output: "mcp every: trigger-long-running-operation was cancelled (CANCELLED)",
      details: { cancelled: true },
    });
  });
});

describe("server-filesystem", () => {
  test("reads and writes where it may, and says why elsewhere it may not", async () => {
    const { project, home } = at().place;
    at().addServers({ files: peers.filesystem(project) });
    const services = await at().open();
    const path = join(project, "note.txt");
    writeFileSync(path, "one\ntwo\n");
    expect((await call(services, "mcp__files__read_text_file", { path })).output).toContain("one\ntwo");
    await call(services, "mcp__files__write_file", { path, content: "three" });
    expect(readFileSync(path, "utf8")).toBe("three");
    expect(await call(services, "mcp__files__read_text_file", { path: join(home, "x") })).toMatchObject({
      isError: true,
      output: expect.stringContaining("Access denied"),
    });
  });

  test("what it says about its tools counts where the user has chosen it, and not where a project has", async () => {
    const { project } = at().place;
    writeFileSync(join(project, "a"), "text");
    at().addServers({ mine: peers.filesystem(project) });
    at().addProjectServers({ theirs: peers.filesystem(project) });
    const services = await at().open({ approval: "read-only" });
    const read = (server: string) =>
      call(services, `mcp__${server}__read_text_file`, { path: join(project, "a") });
    expect(await read("mine")).toMatchObject({ isError: false, output: "text" });
    const blocked = "blocked: read-only mode runs only tools that make no changes (DENIED)";
    expect((await read("theirs")).output).toBe(`mcp__theirs__read_text_file: ${blocked}`);
    const write = await call(services, "mcp__mine__write_file", { path: join(project, "a"), content: "" });
    expect(write.output).toBe(`mcp__mine__write_file: ${blocked}`);
  });

  test("a question names the tool and what it is given, and a yes for the session covers the tool", async () => {
    const { project } = at().place;
    at().addProjectServers({ files: peers.filesystem(project) });
    const asked: string[] = [];
    const services = await at().open({
      approval: "ask",
      ask: async ({ subject: { tool, summary, covers } }) => {
        asked.push(`${tool} ${summary} (${covers})`);
        return asked.length === 1 ? "session" : "no";
      },
    });
    const write = (name: string) =>
      call(services, "mcp__files__write_file", { path: join(project, name), content: "" });
    expect([(await write("a")).isError, (await write("b")).isError]).toEqual([false, false]);
    const tool = "mcp__files__create_directory";
    expect((await call(services, tool, { path: join(project, "d") })).output).toBe(
      `${tool}: blocked: the user declined (DENIED)`,
    );
    expect(asked).toEqual([
      `mcp__files__write_file {"path":"${join(project, "a")}","content":""} (any mcp__files__write_file call)`,
      `${tool} {"path":"${join(project, "d")}"} (any ${tool} call)`,
    ]);
  });
});
