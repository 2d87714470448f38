import { describe, expect, test } from "bun:test";
import { Exchange } from "../../../src/kernel/jupyter/exchange.ts";
import type { KernelMessage } from "../../../src/kernel/message.ts";
import { answer, executeReply, idle, stream } from "./messages.ts";

const id = "m";

async function all(exchange: AsyncIterable<KernelMessage>): Promise<string[]> {
  const types = [];
  for await (const { header, content } of exchange) types.push(String(content["text"] ?? header.msg_type));
  return types;
}

describe("an execution", () => {
  test("ends with the reply when idle came first", async () => {
    const exchange = new Exchange(id, "idle and reply");
    const types = all(exchange);
    exchange.deliver(stream(id, "a"));
    exchange.deliver(idle(id));
    expect(exchange.hasEnded).toBe(false);
    exchange.deliver(executeReply(id));
    expect(exchange.hasEnded).toBe(true);
    expect(await types).toEqual(["a", "status", "execute_reply"]);
  });

  test("ends with idle when the reply came first", async () => {
    const exchange = new Exchange(id, "idle and reply");
    exchange.deliver(executeReply(id));
    exchange.deliver(stream(id, "late"));
    expect(exchange.hasEnded).toBe(false);
    exchange.deliver(idle(id));
    expect(exchange.hasEnded).toBe(true);
    expect(await all(exchange)).toEqual(["execute_reply", "late", "status"]);
  });

  test("does not end with busy, with an idle on another channel, or with a reply on iopub", () => {
    const exchange = new Exchange(id, "idle and reply");
    exchange.deliver(answer("iopub", "status", { content: { execution_state: "busy" } }));
    exchange.deliver(answer("shell", "status", { content: { execution_state: "idle" } }));
    exchange.deliver(answer("iopub", "execute_reply", { content: {} }));
    exchange.deliver(answer("shell", "execute_reply", { content: {} }));
    expect(exchange.hasEnded).toBe(false);
  });

  test("yields messages that came before anybody listened, and those in between", async () => {
    const exchange = new Exchange(id, "idle and reply");
    exchange.deliver(stream(id, "1"));
    const iterator = exchange[Symbol.asyncIterator]();
    const texts = [(await iterator.next()).value?.content["text"]];
    exchange.deliver(stream(id, "2"));
    exchange.deliver(stream(id, "3"));
    texts.push((await iterator.next()).value?.content["text"]);
    exchange.deliver(stream(id, "4"));
    exchange.deliver(idle(id));
    exchange.deliver(executeReply(id));
    for await (const { content, header } of iterator) texts.push(content["text"] ?? header.msg_type);
    expect(texts).toEqual(["1", "2", "3", "4", "status", "execute_reply"]);
  });

  test("has begun with the first message that is more than a status, or with its end", async () => {
    const [running, failing] = [new Exchange(id, "idle and reply"), new Exchange(id, "idle and reply")];
    let begun = false;
    void running.begun.then(() => {
      begun = true;
    });
    running.deliver(answer("iopub", "status", { content: { execution_state: "busy" } }));
    await new Promise((resolve) => setImmediate(resolve));
    expect(begun).toBe(false);
    running.deliver(answer("iopub", "execute_input"));
    await running.begun;
    failing.fail(new Error("gone"));
    await failing.begun;
  });

  test("ignores what comes after its end", async () => {
    const exchange = new Exchange(id, "idle and reply");
    exchange.deliver(idle(id));
    exchange.deliver(executeReply(id));
    exchange.deliver(stream(id, "too late"));
    exchange.fail(new Error("too late"));
    expect(await all(exchange)).toEqual(["status", "execute_reply"]);
  });

  test("yields what came before a failure, then throws it", async () => {
    const exchange = new Exchange(id, "idle and reply");
    const seen: unknown[] = [];
    const reading = (async () => {
      for await (const { content } of exchange) seen.push(content["text"]);
    })();
    exchange.deliver(stream(id, "last words"));
    exchange.fail(new Error("gone"));
    exchange.deliver(stream(id, "a ghost"));
    await expect(reading).rejects.toThrow("gone");
    await reading.catch(() => undefined);
    expect(seen).toEqual(["last words"]);
    await exchange.ended;
  });

  test("does not collect output for a consumer that left", async () => {
    const exchange = new Exchange(id, "idle and reply");
    exchange.deliver(stream(id, "1"));
    for await (const { content } of exchange) {
      expect(content["text"]).toBe("1");
      break;
    }
    let kept: WeakRef<KernelMessage>[] = [];
    for (let index = 0; index < 1000; index += 1) {
      const message = stream(id, "x".repeat(1000));
      kept.push(new WeakRef(message));
      exchange.deliver(message);
    }
    // References made in this turn of the event loop hold until its end.
    await new Promise((resolve) => setImmediate(resolve));
    Bun.gc(true);
    kept = kept.filter((reference) => reference.deref() !== undefined);
    expect(kept.length).toBeLessThan(100);
    expect(exchange.hasEnded).toBe(false);
    exchange.deliver(idle(id));
    exchange.deliver(executeReply(id));
    await exchange.ended;
  });
});

describe("a plain request", () => {
  test("ends with its reply alone", async () => {
    const exchange = new Exchange(id, "reply");
    const reply = answer("control", "interrupt_reply", { parent: id });
    exchange.deliver(reply);
    expect(exchange.hasEnded).toBe(true);
    expect(await exchange.reply()).toEqual(reply);
  });

  test("gives the reply only when idle has come, where that is asked for", async () => {
    const exchange = new Exchange(id, "idle and reply");
    let settled = false;
    const reply = exchange.reply().then((message) => {
      settled = true;
      return message.header.msg_type;
    });
    exchange.deliver(executeReply(id));
    await new Promise((resolve) => setImmediate(resolve));
    expect(settled).toBe(false);
    exchange.deliver(idle(id));
    expect(await reply).toBe("execute_reply");
  });

  test("rejects with the failure, before and after it was asked for", async () => {
    const exchange = new Exchange(id, "reply");
    const before = exchange.reply();
    exchange.fail(new Error("gone"));
    await expect(before).rejects.toThrow("gone");
    await before.catch(() => undefined);
    await expect(exchange.reply()).rejects.toThrow("gone");
  });
});
