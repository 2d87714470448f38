/** Reading without the parser finds what reading with it does. */

import { expect, test } from "bun:test";
import { dangerIn } from "../../../src/shell/safety/find-danger.ts";
import { loadParser } from "../../../src/shell/safety/parser.ts";
import { readPlainWords } from "../../../src/shell/safety/plain-words.ts";
import { readScript } from "../../../src/shell/safety/script-reader.ts";
import allowed from "./allowed-commands.json";
import blocked from "./blocked-commands.json";
import { HiddenCommands } from "./hidden-commands.ts";
import known from "./known-safe.json";

const place = { home: "/home/ann", cwd: "/home/ann/project" };
const all = [...Object.values(allowed), ...Object.values(blocked), ...Object.values(known)].flat();

test("every command of the corpora that needs no parser: the same commands, places and dangers", async () => {
  const parse = await loadParser();
  let count = 0;
  for (const command of all) {
    const plain = readPlainWords(command, place);
    if (plain === undefined) continue;
    count += 1;
    const followed = readScript(command, place, parse);
    const found = followed.commands.map(({ argv, directories }) => ({ argv, directories }));
    // The grammar has a statement of its own for `[`.
    for (const { argv, directories } of plain.commands.filter(({ argv: [name] }) => name !== "[")) {
      expect(found).toContainEqual({ argv, directories });
    }
    expect(plain.destinations).toEqual(followed.destinations);
    const reasonOf = (reading: typeof plain) => dangerIn(reading, place)?.reason;
    expect([command, reasonOf(plain)]).toEqual([command, reasonOf(followed)]);
  }
  expect(count).toBeGreaterThan(300);
});

test("of commands by chance: no danger less", async () => {
  const parse = await loadParser();
  const maker = new HiddenCommands(3);
  const missed: string[] = [];
  for (let round = 0; round < 1000; round += 1) {
    const command = maker.make().replaceAll("mark", "rm -rf /");
    const plain = readPlainWords(command, place);
    const followed = plain && readScript(command, place, parse);
    // What the grammar does not understand is searched for words, wherever they stand.
    if (plain === undefined || followed === undefined || followed.unread.length > 0) continue;
    if (dangerIn(followed, place) !== undefined && dangerIn(plain, place) === undefined) missed.push(command);
  }
  expect(missed).toEqual([]);
});
