/** The tools of a session by name, and the one way to call them: input is checked first, problems are reported in one line. */

import { count } from "../format/numbers.ts";
import { OmpError, type Tool, type ToolContext, type ToolResult } from "../protocol/index.ts";
import { asRecord } from "../protocol/record.ts";
import { errorResult, ToolError } from "./tool-error.ts";

type Checked = { readonly tool: Tool; readonly input: unknown } | { readonly refusal: ToolResult };

/** Their summary is what would be executed. Of the others it is only a path or a pattern, which says nothing without the name. */
const runsItsInput: ReadonlySet<string> = new Set(["python", "python_run", "bash", "exec"]);

export class ToolRegistry {
  readonly #tools: ReadonlyMap<string, Tool>;

  constructor(tools: readonly Tool[]) {
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    if (this.#tools.size !== tools.length) throw new Error("two tools have the same name");
  }

  get names(): readonly string[] {
    return [...this.#tools.keys()];
  }

  get(name: string): Tool | undefined {
    return this.#tools.get(name);
  }

  list(): readonly Tool[] {
    return [...this.#tools.values()];
  }

  /** Never throws for what a model or a user can cause; what it throws is a bug. */
  async run(name: string, raw: unknown, context: ToolContext): Promise<ToolResult> {
    const checked = this.#check(name, raw);
    if ("refusal" in checked) return checked.refusal;
    return await answered(() => checked.tool.run(checked.input, context));
  }

  /** What `--dry-run` answers: what would be refused is refused, and nothing runs. */
  async rehearse(name: string, raw: unknown, context: ToolContext): Promise<ToolResult> {
    const checked = this.#check(name, raw);
    if ("refusal" in checked) return checked.refusal;
    const { tool, input } = checked;
    return await answered(async () => {
      await tool.vet?.(input, context);
      const summary = runsItsInput.has(name) ? tool.summary(input) : `${name} ${tool.summary(input)}`;
      const command = wholeCommand(input) ?? summary;
      return {
        isError: false,
        output: `[Dry Run] Would execute: ${summary}`,
        details: { dryRun: true, command },
      };
    });
  }

  #check(name: string, raw: unknown): Checked {
    const tool = this.#tools.get(name);
    if (tool === undefined) {
      const issue = `unknown tool; available: ${listNames(this.names)}`;
      return refuse(name, issue, "UNKNOWN_TOOL");
    }
    const check = tool.check(raw);
    return check.ok ? { tool, input: check.input } : refuse(name, check.problem, "INVALID_INPUT");
  }
}

/** Without those of MCP servers, of which there may be thousands. */
function listNames(names: readonly string[]): string {
  const own = names.filter((name) => !name.startsWith("mcp_"));
  const others = names.filter((name) => name.startsWith("mcp__")).length;
  return [...own, ...(others > 0 ? [`${count(others, "tool")} of MCP servers`] : [])].join(", ") || "none";
}

async function answered(work: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof OmpError) return errorResult(error);
    throw error;
  }
}

/** What a tool that runs its input would run, uncut. */
function wholeCommand(input: unknown): string | undefined {
  const { command, code, cells } = asRecord(input);
  const texts = Array.isArray(cells) ? cells.map((cell) => asRecord(cell)["code"]) : [command ?? code];
  return texts.every((text) => typeof text === "string") ? texts.join("\n") : undefined;
}

function refuse(operation: string, issue: string, code: string): Checked {
  return { refusal: errorResult(new ToolError({ operation, issue, code })) };
}
