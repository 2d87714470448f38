import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readIndexSettings } from "../../src/python/package-index.ts";
import { temporaryDirectory } from "../support/home.ts";

function homeWith(files: Readonly<Record<string, string>>): string {
  const home = temporaryDirectory();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
  return home;
}

test("without any setting there is none that omp knows of: pip has its own", () => {
  const { certificates: _, ...settings } = readIndexSettings({ PIP_CONFIG_FILE: "/dev/null" });
  expect(settings).toEqual({
    indexes: [],
    findLinks: [],
    proxy: undefined,
    isChosen: false,
  });
});

test("pip's files are read in pip's order, with its sections, comments and continued lines", () => {
  const home = homeWith({
    ".pip/pip.conf": "[global]\nindex-url = http://old/\nproxy: http://proxy:1\n",
    ".config/pip/pip.conf":
      "# ours\n[global]\nindex_url = http://global/\nextra-index-url =\n    http://one/\n    ; not this\n    http://two/\n" +
      "cert = /c.pem\n[install]\nindex-url = http://install/\n[download]\nindex-url = http://download/\n",
    "named.conf": "[global]\nfind-links = /wheels /more\n",
  });
  expect(readIndexSettings({ HOME: home, PIP_CONFIG_FILE: join(home, "named.conf") }, "linux")).toEqual({
    indexes: ["http://install/", "http://one/", "http://two/"],
    findLinks: ["/wheels", "/more"],
    certificates: "/c.pem",
    proxy: "http://proxy:1",
    isChosen: true,
  });
});

test("variables win over files, and no index at all is an answer, too", () => {
  const home = homeWith({
    "Library/Application Support/pip/pip.conf": "[global]\nindex-url = http://mac/\n",
  });
  const { indexes } = readIndexSettings({ HOME: home }, "darwin");
  expect(indexes).toEqual(["http://mac/"]);
  const named = readIndexSettings({ HOME: home, PIP_INDEX_URL: "http://var/", PIP_CERT: "/v.pem" }, "darwin");
  expect([named.indexes, named.certificates]).toEqual([["http://var/"], "/v.pem"]);
  const none = readIndexSettings({ HOME: home, PIP_NO_INDEX: "true", PIP_FIND_LINKS: "/wheels" }, "darwin");
  expect([none.indexes, none.findLinks, none.isChosen]).toEqual([[], ["/wheels"], true]);
});
