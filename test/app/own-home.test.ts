import { expect, test } from "bun:test";
import { ownHome } from "../../src/app/own-home.ts";

const owners: Record<string, number> = { "/home/you": 1000, "/root": 0 };
const on = (uid: number, HOME: string | undefined) =>
  ownHome({ HOME }, { uid, ownerOf: (directory) => owners[directory], homeOfRoot: () => "/root" });

test("root does not use another user's home, as sudo may leave it", () => {
  expect(on(0, "/home/you")).toBe("/root");
});

test("any other home is used as it is", () => {
  expect([on(0, "/root"), on(0, "/new"), on(0, undefined), on(1000, "/home/you")]).toEqual(
    Array(4).fill(undefined),
  );
});
