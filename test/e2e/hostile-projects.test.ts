/** Starting omp in a stranger's project runs nothing of it, sends nothing to it, and waits for nothing in it. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { answerWith, hasIdleKernel } from "../support/at-rest.ts";
import { temporaryDirectory } from "../support/home.ts";
import { type OmpRun, omp } from "../support/omp.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { openScreen } from "../support/screen.ts";
import { AgentPlace, bash, python } from "./agent-place.ts";
import { type HostileProject, hostileProjects, Repository } from "./hostile-projects.ts";

const KEY = "sk-canary-0123456789";
const requests: string[] = [];
let endpoint: ReturnType<typeof Bun.serve>;
beforeAll(() => {
  endpoint = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => {
      requests.push(`${request.method} ${request.url}`);
      return new Response("{}");
    },
  });
});
afterAll(() => endpoint.stop(true));

class HostilePlace {
  readonly agent: AgentPlace;
  readonly trap: string;
  readonly #env: Readonly<Record<string, string>>;

  constructor({ make, env = {}, servers }: HostileProject) {
    const base = temporaryDirectory();
    const [home = "", project = "", trap = ""] = ["home", "project", "trap"].map((name) => join(base, name));
    this.agent = new AgentPlace({ home, project });
    this.trap = trap;
    for (const directory of [join(home, ".omp"), project, trap]) mkdirSync(directory, { recursive: true });
    // The user has a managed environment and has activated none: the project's own would be preferred.
    symlinkSync(testPython.venv, join(home, ".omp", "python-env"));
    if (servers !== undefined) this.agent.settings({ mcp: { servers } });
    const path = env["PATH"];
    this.#env = { ...env, ...(path === undefined ? {} : { PATH: `${path}:${process.env["PATH"]}` }) };
    make(new Repository({ root: project, trap, endpoint: endpoint.url.href }));
  }

  get env(): Record<string, string> {
    return { OPENAI_API_KEY: KEY, ANTHROPIC_API_KEY: KEY, ...this.#env };
  }

  run(...args: string[]): Promise<OmpRun> {
    return omp(args, { place: this.agent.place, env: this.env });
  }

  /** What of the project was run, and by whom; what was sent. */
  traces(): unknown {
    const files = readdirSync(this.trap);
    return {
      ran: files.map((name) => [decodeURIComponent(name), readFileSync(join(this.trap, name), "utf8")]),
      sent: requests.splice(0),
    };
  }
}

function problemsIn({ stdout, stderr }: OmpRun): unknown {
  if (stdout === "") return stderr;
  const { checks } = JSON.parse(stdout) as { checks: { status: string; value: string }[] };
  return checks.filter(({ status }) => status === "fail");
}

const nothing = { ran: [], sent: [] };

function projectWith(name: string): HostileProject {
  const found = hostileProjects.find((project) => project.name.includes(name));
  if (found === undefined) throw new Error(`there is no project with ${name}`);
  return found;
}

const CELL = JSON.stringify(python("6 * 7").input);

describeWithPython(testPython, "a stranger's project", () => {
  test.each(hostileProjects.map((project) => [project.name, project] as const))(
    "with %s",
    async (_, project) => {
      const place = new HostilePlace(project);
      const script = place.agent.script({ toolCalls: [bash("echo $OPENAI_API_KEY")] }, { text: "Done." });
      const [doctor, tool, print] = await Promise.all([
        place.run("doctor", "--json"),
        place.run("tool", "python", CELL),
        place.run("-p", "-m", script, "go"),
      ]);
      expect(place.traces()).toEqual(nothing);
      expect([tool, print].map(({ exitCode, stdout }) => ({ exitCode, stdout }))).toEqual([
        { exitCode: 0, stdout: "42\n" },
        { exitCode: 0, stdout: "Done.\n" },
      ]);
      expect(problemsIn(doctor)).toEqual([]);
      const logs = place.agent.logs().map((file) => readFileSync(file, "utf8"));
      expect(logs.join("")).not.toContain(KEY);
    },
  );

  test.each([
    ["extension modules"],
    ["standard library"],
    ["package.json"],
    ["programs with the names"],
    ["pipes"],
    ["AGENTS.md that leads to keys"],
  ])("with %s at a terminal", async (name) => {
    const place = new HostilePlace(projectWith(name));
    const screen = openScreen({ place: place.agent.place, env: place.env, args: ["-m", "demo"] });
    await screen.waitFor((now) => hasIdleKernel(now) || now.text.includes("Trust this project?"));
    if (screen.text.includes("Trust this project?")) await answerWith(screen, "No");
    await screen.waitFor(hasIdleKernel);
    screen.type("$6 * 7\r");
    await screen.waitFor(/^ {2}42$/m);
    screen.type("\x04");
    await screen.ended();
    expect(place.traces()).toEqual(nothing);
  });

  test("with configuration of Jupyter, in the shared gateway", async () => {
    const place = new HostilePlace(projectWith("configuration of IPython"));
    place.agent.settings({ python: { sharedGateway: true } });
    expect(await place.run("tool", "python", CELL)).toMatchObject({ exitCode: 0, stdout: "42\n" });
    expect((await place.run("gateway", "stop")).exitCode).toBe(0);
    expect(place.traces()).toEqual(nothing);
  });

  test("still has its modules found first by cells, whatever their names", async () => {
    const place = new HostilePlace(projectWith("standard library"));
    const cells = [{ code: "import colorsys; print(colorsys.__file__)" }];
    expect((await place.run("tool", "python", JSON.stringify({ cells }))).stdout).toBe(
      `${join(place.agent.project, "colorsys.py")}\n`,
    );
    expect(readdirSync(place.trap).sort()).toEqual(["colorsys.py"]);
    // Nor does IPython make a directory of its own in the user's home.
    expect(readdirSync(place.agent.place.home)).toEqual([".omp"]);
  });
});
