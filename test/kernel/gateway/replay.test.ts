import { expect, test } from "bun:test";
import { Replay } from "../../../src/kernel/gateway/replay.ts";
import { type KernelMessage, newMessage } from "../../../src/kernel/message.ts";

function output(number: number): KernelMessage {
  const message = newMessage({ channel: "iopub", type: "stream", session: "k", content: {} });
  return { ...message, header: { ...message.header, msg_id: `k_1_${number}` } };
}

function numbered(...numbers: number[]): KernelMessage[] {
  return numbers.map(output);
}

function replayed() {
  const heard: number[] = [];
  const replay = new Replay(({ header }) => heard.push(Number(header.msg_id.split("_").at(-1))));
  const accept = (...numbers: number[]) => {
    for (const message of numbered(...numbers)) replay.accept(message);
  };
  return { replay, heard, accept };
}

test("what the kernel recalls goes before what has come since, and each message comes once", () => {
  const { replay, heard, accept } = replayed();
  accept(1, 2);
  expect(replay.lastId).toBe("k_1_2");
  replay.hold();
  accept(5, 6);
  expect(heard).toEqual([1, 2]);
  replay.release(numbered(3, 4, 5, 6));
  accept(7);
  expect(heard).toEqual([1, 2, 3, 4, 5, 6, 7]);
});

test("the gateway's copies of what was recalled are dropped, however late they come", () => {
  const { replay, heard, accept } = replayed();
  replay.hold();
  replay.release(numbered(1, 2, 3));
  replay.hold();
  accept(1, 2, 3, 4);
  replay.release([]);
  expect(heard).toEqual([1, 2, 3, 4]);
});

test("what the kernel has forgotten and the gateway has kept goes before the rest", () => {
  const { replay, heard, accept } = replayed();
  replay.hold();
  accept(1, 2, 3, 4);
  replay.release(numbered(3, 4, 5));
  expect(heard).toEqual([1, 2, 3, 4, 5]);
});

test("replies are not held back", () => {
  const { replay, heard } = replayed();
  replay.hold();
  replay.accept({ ...output(9), channel: "shell" });
  expect(heard).toEqual([9]);
});
