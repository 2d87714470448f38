/** Options of a command line the way getopt reads them, for programs that are known only by a few of theirs. */

export interface OptionSyntax {
  /** Options that take the next word, or what is glued to them: letters and long names without dashes. */
  readonly values?: readonly string[];
}

export interface GivenOption {
  /** A letter, or a long name without its dashes. */
  readonly name: string;
  readonly value: string | undefined;
}

export interface GivenOptions {
  readonly options: readonly GivenOption[];
  readonly operands: readonly string[];
}

/** `permuted`: options may stand after operands, as GNU programs allow. */
export function optionsOf(
  words: readonly string[],
  { values = [] }: OptionSyntax = {},
  { permuted = true }: { permuted?: boolean } = {},
): GivenOptions {
  const options: GivenOption[] = [];
  const operands: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (word === "--") return { options, operands: [...operands, ...words.slice(at + 1)] };
    if (word.startsWith("--")) {
      const [name = "", ...glued] = word.slice(2).split("=");
      const takesNext = glued.length === 0 && values.includes(name);
      if (takesNext) at += 1;
      options.push({ name, value: glued.length > 0 ? glued.join("=") : takesNext ? words[at] : undefined });
    } else if (word.startsWith("-") && word !== "-") {
      const letters = [...word.slice(1)];
      for (const [index, letter] of letters.entries()) {
        if (!values.includes(letter)) {
          options.push({ name: letter, value: undefined });
          continue;
        }
        const glued = letters.slice(index + 1).join("");
        if (glued === "") at += 1;
        options.push({ name: letter, value: glued === "" ? words[at] : glued });
        break;
      }
    } else if (permuted) operands.push(word);
    else return { options, operands: words.slice(at) };
  }
  return { options, operands };
}

/** The option is there: a letter, or a long name that may be cut short as long as nothing else is meant. */
export function hasOption({ options }: GivenOptions, letters: string, ...names: readonly string[]): boolean {
  return options.some(({ name }) =>
    name.length === 1
      ? letters.includes(name)
      : name.length >= 2 &&
        names.some((whole) => whole === name || (name.length >= 3 && whole.startsWith(name))),
  );
}

/** The program's name: without its directory. */
export function programName(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1);
}
