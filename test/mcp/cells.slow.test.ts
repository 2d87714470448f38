/** `omp.mcp` in cells: tools of MCP servers by name, with a real kernel and a real server. */

import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Services } from "../../src/app/services.ts";
import { callTool } from "../../src/app/tool-call.ts";
import type { McpQuestion } from "../../src/protocol/mcp.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { mcpPlace, peers } from "./session.ts";

describeWithPython(testPython, "omp.mcp", () => {
  const at = mcpPlace();

  async function run(services: Services, ...lines: string[]): Promise<string> {
    const { output } = await callTool(services, {
      ...{ id: "top", name: "python", input: { cells: [{ code: lines.join("\n") }] }, dryRun: false },
      signal: new AbortController().signal,
      onUpdate: () => undefined,
      onNested: async () => undefined,
      onBug: (report) => expect(report).toBe(""),
    });
    return output;
  }

  test("calls tools by name: values as values, text as results, errors as errors; search finds them", async () => {
    at().addServers({ every: peers.everything });
    const services = await at().open({}, { VIRTUAL_ENV: testPython.venv });
    expect(await run(services, "print(omp.mcp.every.echo(message='hi').text)")).toBe("Echo: hi");
    const weather = "omp.mcp.every.get_structured_content(location='Chicago')";
    expect(await run(services, `print(sorted(${weather}))`)).toBe(
      "['conditions', 'humidity', 'temperature']",
    );
    const search = "[each['tool'] for each in omp.mcp.search('tiny image')]";
    expect(await run(services, `print(${search})`)).toBe("['get-tiny-image']");
    expect(await run(services, "print(len(omp.mcp.every['get-tiny-image']().images))")).toBe("1");
    const sums = "[omp.mcp.every.get_sum(a=n, b=1).text for n in range(20)][-1]";
    expect(await run(services, `print(${sums})`)).toContain("20");
    const caught = (code: string) =>
      run(services, `try:\n    ${code}\nexcept omp.ToolError as e:\n    print(e)`);
    expect(await caught("omp.mcp.every.nothing()")).toBe(
      "omp.mcp: there is no every.nothing; omp.mcp.search() lists the tools (UNKNOWN_TOOL)",
    );
    expect(await caught("omp.mcp.every.echo()")).toContain("required property 'message'");
  });

  test("a server that has failed is tried again, and its error says why", async () => {
    const mark = join(at().place.home, "mark");
    const starts = `require("fs").existsSync(${JSON.stringify(mark)}) ? import(${JSON.stringify(peers.everything.args[0])}) : process.exit(3)`;
    at().addServers({ "late-one": { command: "node", args: ["-e", starts] } });
    const services = await at().open({}, { VIRTUAL_ENV: testPython.venv });
    const echo = "try: print(omp.mcp.late_one.echo(message='hi').text)\nexcept omp.ToolError as e: print(e)";
    expect(await run(services, echo)).toBe("mcp late-one: ended with exit code 3 (NOT_CONNECTED)");
    writeFileSync(mark, "");
    expect(await run(services, echo)).toBe("Echo: hi");
  });

  test("a server that asks in the middle of a cell's call asks the session's user", async () => {
    at().addServers({ s: peers.recording(join(at().place.home, "record")) });
    const asked: string[] = [];
    const elicit = async ({ server, message }: McpQuestion) => {
      asked.push(`${server}: ${message}`);
      return { action: "accept", content: { age: 7 } } as const;
    };
    const services = await at().open({ elicit }, { VIRTUAL_ENV: testPython.venv });
    expect(await run(services, "print(omp.mcp.s.ask().text)")).toBe(
      '{"action":"accept","content":{"age":7}}',
    );
    // A subagent has its parent's servers, and so its parent's user.
    const child = await at().open({ shared: services, asker: "task-1" }, { VIRTUAL_ENV: testPython.venv });
    expect(await run(child, "print(omp.mcp.s.ask().text)")).toContain('"age":7');
    expect(asked).toEqual(["s: How old?", "s: How old?"]);
  });

  test("finds nothing where there are no servers", async () => {
    const services = await at().open({}, { VIRTUAL_ENV: testPython.venv });
    expect(await run(services, "print(omp.mcp.search(), omp.mcp)")).toStartWith("[] <omp.mcp: ");
  });
});
