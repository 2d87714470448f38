import { beforeEach, describe, expect, test } from "bun:test";
import { executeContent, JupyterClient } from "../../../src/kernel/jupyter/client.ts";
import type { KernelMessage } from "../../../src/kernel/message.ts";
import { answer, executeReply, idle, stream } from "./messages.ts";

let sent: KernelMessage[];
let client: JupyterClient;

beforeEach(() => {
  sent = [];
  client = new JupyterClient({ send: (message) => sent.push(message) });
});

function execute(code: string, options: Parameters<typeof executeContent>[1]) {
  return client.request("shell", "execute_request", executeContent(code, options));
}

async function textsOf(exchange: AsyncIterable<KernelMessage>): Promise<unknown[]> {
  const texts = [];
  for await (const { content } of exchange) if (content["text"] !== undefined) texts.push(content["text"]);
  return texts;
}

function end(id: string): void {
  client.receive(idle(id));
  client.receive(executeReply(id));
}

describe("requests", () => {
  test("an execution asks for no keyboard, and for history only when it is not silent", () => {
    execute("1 + 1", { silent: false, userExpressions: { x: "x" } });
    execute("pass", { silent: true, userExpressions: {} });
    const [loud, silent] = sent;
    expect(loud?.channel).toBe("shell");
    expect(loud?.header).toMatchObject({
      msg_type: "execute_request",
      session: client.session,
      version: "5.3",
    });
    expect(loud?.content).toMatchObject({
      code: "1 + 1",
      silent: false,
      store_history: true,
      user_expressions: { x: "x" },
      allow_stdin: false,
    });
    expect(silent?.content).toMatchObject({ code: "pass", silent: true, store_history: false });
  });

  test("code with half a surrogate pair, over which ipykernel fails without a reply, is mended", () => {
    execute("'a\ud800b'", { silent: false, userExpressions: {} });
    expect(sent[0]?.content["code"]).toBe("'a\ufffdb'");
  });

  test("no two have the same id, and no two clients the same session", () => {
    const ids = Array.from({ length: 100 }, () => client.request("shell", "kernel_info_request", {}).id);
    expect(new Set(ids).size).toBe(100);
    expect(new JupyterClient().session).not.toBe(client.session);
  });

  test("a control request is over with its reply", async () => {
    const exchange = client.request("control", "interrupt_request", {});
    client.receive(answer("control", "interrupt_reply", { parent: exchange.id }));
    expect((await exchange.reply()).header.msg_type).toBe("interrupt_reply");
  });
});

describe("what comes back", () => {
  test("goes to the request that it answers", async () => {
    const [first, second] = [1, 2].map(() => execute("", { silent: false, userExpressions: {} }));
    if (!first || !second) throw new Error("no exchanges");
    client.receive(stream(second.id, "b"));
    client.receive(stream(first.id, "a"));
    end(second.id);
    end(first.id);
    expect(await textsOf(first)).toEqual(["a"]);
    expect(await textsOf(second)).toEqual(["b"]);
  });

  test("is passed on when its type is unknown", async () => {
    const exchange = execute("", { silent: false, userExpressions: {} });
    client.receive(answer("iopub", "from_the_future", { parent: exchange.id, content: { text: "?" } }));
    end(exchange.id);
    expect(await textsOf(exchange)).toEqual(["?"]);
  });

  test("is ignored when it answers somebody else, or nobody", async () => {
    const exchange = execute("", { silent: false, userExpressions: {} });
    client.receive(stream("of another client", "x", "another session"));
    client.receive(stream("of another client", "y"));
    client.receive(answer("iopub", "status", { content: { execution_state: "starting" } }));
    client.receive(answer("iopub", "iopub_welcome"));
    end(exchange.id);
    expect(await textsOf(exchange)).toEqual([]);
    expect(client.takeLateOutput()).toBe("");
  });
});

describe("late output", () => {
  test("of our own session is kept in order and given out once", () => {
    client.receive(stream("a cell that is over", "one\n", client.session));
    client.receive(stream("another", "two\n", client.session));
    expect(client.takeLateOutput()).toBe("one\ntwo\n");
    expect(client.takeLateOutput()).toBe("");
  });

  test("is what arrives for an execution after its end", async () => {
    const exchange = execute("", { silent: false, userExpressions: {} });
    end(exchange.id);
    client.receive(stream(exchange.id, "from a thread", client.session));
    expect(await textsOf(exchange)).toEqual([]);
    expect(client.takeLateOutput()).toBe("from a thread");
  });

  test("belongs to the cell that runs when it arrives, if one does, and is no sign that this one has begun", async () => {
    const earlier = execute("", { silent: false, userExpressions: {} });
    end(earlier.id);
    execute("", { silent: true, userExpressions: {} });
    const cell = execute("", { silent: false, userExpressions: {} });
    let hasBegun = false;
    void cell.begun.then(() => {
      hasBegun = true;
    });
    const late = (type: string) =>
      answer("iopub", type, { parent: earlier.id, session: client.session, content: { text: type } });
    for (const type of ["stream", "display_data", "clear_output", "status"]) client.receive(late(type));
    await Promise.resolve();
    expect(hasBegun).toBe(false);
    end(cell.id);
    expect(await textsOf(cell)).toEqual(["stream", "display_data"]);
    expect(client.takeLateOutput()).toBe("");
    client.receive(stream(earlier.id, "now late", client.session));
    expect(client.takeLateOutput()).toBe("now late");
  });

  test("keeps the end when there is much of it, and says that something was cut", () => {
    for (let line = 0; line < 10_000; line += 1)
      client.receive(stream("x", `line ${line}\n`, client.session));
    const text = client.takeLateOutput();
    expect(text).toStartWith("…");
    expect(text).toEndWith("line 9998\nline 9999\n");
    expect(text.length).toBeLessThan(20_000);
    client.receive(stream("x", "fresh", client.session));
    expect(client.takeLateOutput()).toBe("fresh");
  });

  test("never ends up with half a character at its cut", () => {
    client.receive(stream("x", `${"\u{1f40d}".repeat(20_000)}x`, client.session));
    expect(client.takeLateOutput().isWellFormed()).toBe(true);
  });

  test("does not hold messages that are neither text nor displays", () => {
    client.receive(idle("x"));
    client.receive(answer("iopub", "stream", { parent: "x", session: client.session, content: { text: 7 } }));
    client.receive(answer("iopub", "clear_output", { parent: "x", session: client.session }));
    expect(client.takeLateOutput()).toBe("");
    expect(client.takeLateDisplays()).toEqual([]);
  });

  const display = (text: string, id?: string, type = "display_data") => {
    const content = { data: { "text/plain": text }, transient: id === undefined ? {} : { display_id: id } };
    client.receive(answer("iopub", type, { parent: "x", session: client.session, content }));
  };
  const shown = () =>
    client.takeLateDisplays().map(({ content }) => Object(content["data"])["text/plain"].slice(0, 20));

  test("has the displays, too, in order and once; one that changes as it is now", () => {
    display("one");
    display("0 %", "bar");
    display("two");
    display("50 %", "bar", "update_display_data");
    display("99 %", "bar", "update_display_data");
    expect(shown()).toEqual(["one", "two", "99 %"]);
    expect(shown()).toEqual([]);
  });

  test("keeps the newest displays, and no more than memory allows", () => {
    for (let each = 0; each < 50; each += 1) display(String(each));
    expect(shown()).toEqual(Array.from({ length: 20 }, (_, index) => String(index + 30)));
    for (const each of ["first", "second", "third"]) display(each + " ".repeat(7_000_000));
    expect(shown().map((text) => text.trim())).toEqual(["second", "third"]);
  });
});

describe("an interrupted execution", () => {
  test("whose reply got lost ends when the kernel is known to answer again", async () => {
    const exchange = execute("", { silent: false, userExpressions: {} });
    client.receive(idle(exchange.id));
    client.concludeInterrupted(exchange);
    const messages = [];
    for await (const message of exchange) messages.push(message);
    expect(messages.map(({ header }) => header.msg_type)).toEqual(["status", "execute_reply"]);
    expect(messages[1]?.content).toMatchObject({ status: "error", ename: "KeyboardInterrupt" });
    client.receive(stream(exchange.id, "later", client.session));
    expect(client.takeLateOutput()).toBe("later");
  });

  test("that has its reply, or is not idle yet, is left alone", async () => {
    const [running, replied] = [1, 2].map(() => execute("", { silent: false, userExpressions: {} }));
    if (!running || !replied) throw new Error("no exchanges");
    client.concludeInterrupted(running);
    expect(running.hasEnded).toBe(false);
    end(replied.id);
    client.concludeInterrupted(replied);
    expect((await replied.reply()).content).toEqual({ status: "ok", execution_count: 1 });
  });
});

describe("an execution whose end was lost with a connection", () => {
  const executeNothing = () => execute("", { silent: false, userExpressions: {} });

  test("ends, and says that nobody knows how", async () => {
    const exchange = executeNothing();
    expect(client.open).toEqual([exchange]);
    client.concludeLost(exchange);
    expect(client.open).toEqual([]);
    expect((await exchange.reply()).content).toMatchObject({ status: "error", ename: "ConnectionLost" });
  });

  test("keeps the reply that it has, or that the kernel still knows", async () => {
    const [replied, recalled] = [executeNothing(), executeNothing()];
    const content = { status: "ok", execution_count: 3 };
    client.receive(answer("shell", "execute_reply", { parent: replied.id, content }));
    client.concludeLost(replied);
    expect((await replied.reply()).content).toEqual(content);
    client.answer(recalled, content);
    client.receive(idle(recalled.id));
    expect((await recalled.reply()).content).toEqual(content);
  });

  test("is sent again as it was, and never after its end", () => {
    const exchange = executeNothing();
    client.sendAgain(exchange);
    expect(sent).toHaveLength(2);
    expect(sent[1]).toEqual(sent[0]);
    end(exchange.id);
    client.sendAgain(exchange);
    expect(sent).toHaveLength(2);
  });
});

describe("a failure", () => {
  test("ends everything that is open", async () => {
    const running = execute("", { silent: false, userExpressions: {} });
    const asked = client.request("control", "shutdown_request", {});
    client.fail(new Error("the kernel died"));
    for (const exchange of [running, asked]) {
      expect(exchange.hasEnded).toBe(true);
      await expect(exchange.reply()).rejects.toThrow("the kernel died");
      await exchange.ended;
    }
  });

  test("ends later requests at once, with the first failure, and sends nothing", async () => {
    client.fail(new Error("first"));
    client.fail(new Error("second"));
    const exchange = execute("", { silent: false, userExpressions: {} });
    expect(sent).toEqual([]);
    await expect(exchange.reply()).rejects.toThrow("first");
    await exchange.ended;
  });
});
