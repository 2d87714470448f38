/** A call's input as people read it: code as code, a file's text as text, and JSON only for what is neither. */

export interface CallText {
  readonly text: string;
  /** What Markdown calls the language of it. */
  readonly language: "" | "bash" | "python" | "json";
}

type Fields = Readonly<Record<string, unknown>>;

export function callText(input: unknown): CallText {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return asJson(input);
  const { cells, command, content, ...others } = input as Fields;
  if (Array.isArray(cells) && cells.length > 0 && cells.every(isCell))
    return { language: "python", text: [...comments(others), ...cells.map(cellText)].join("\n\n") };
  if (typeof command === "string")
    return { language: "bash", text: [...comments(others), command].join("\n") };
  if (typeof content === "string")
    return { language: "", text: [...lines(others), content.replace(/\n$/, "")].join("\n\n") };
  const values = Object.values(others);
  const [only] = values;
  return values.length === 1 && typeof only === "string" ? { language: "", text: only } : asJson(input);
}

interface Cell {
  readonly code: string;
  readonly title?: unknown;
}

function isCell(cell: unknown): cell is Cell {
  return typeof cell === "object" && cell !== null && typeof (cell as Fields)["code"] === "string";
}

function cellText({ code, title }: Cell): string {
  return typeof title === "string" ? `# ${oneLine(title)}\n${code}` : code;
}

/** The other fields, one a line: what a command is for, a timeout, a directory. */
function lines(others: Fields): string[] {
  const told = Object.entries(others).map(
    ([name, value]) => `${name}: ${oneLine(typeof value === "string" ? value : JSON.stringify(value))}`,
  );
  return told.length === 0 ? [] : [told.join("\n")];
}

function comments(others: Fields): string[] {
  return lines(others).map((text) => text.replace(/^/gm, "# "));
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

function asJson(input: unknown): CallText {
  return { language: "json", text: JSON.stringify(input, undefined, 2) ?? "" };
}
