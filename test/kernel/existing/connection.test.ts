import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readConnection } from "../../../src/kernel/existing/connection.ts";
import { findConnectionFile, jupyterRuntimeDirectory } from "../../../src/kernel/hosts/find-kernel.ts";
import { temporaryDirectory } from "../../support/home.ts";

const whole = {
  shell_port: 1,
  iopub_port: 2,
  stdin_port: 3,
  control_port: 4,
  hb_port: 5,
  ip: "192.0.2.7",
  key: "secret",
  transport: "tcp",
  signature_scheme: "hmac-sha256",
  kernel_name: "python3",
};

function fileWith(content: string | object): string {
  const file = join(temporaryDirectory(), "kernel-1.json");
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
}

/** The line, without the file's name. */
function problemOf(content: string | object): string {
  const file = fileWith(content);
  try {
    readConnection(file);
  } catch (error) {
    return String(error instanceof Error ? error.message : error).replace(file, "FILE");
  }
  return "none";
}

describe("a connection file", () => {
  test("of Jupyter is read whole", () => {
    const file = fileWith(whole);
    expect(readConnection(file)).toEqual({
      file,
      info: {
        transport: "tcp",
        ip: "192.0.2.7",
        shellPort: 1,
        iopubPort: 2,
        stdinPort: 3,
        controlPort: 4,
        hbPort: 5,
        key: "secret",
        signatureScheme: "hmac-sha256",
      },
    });
  });

  test("may leave out what has a default, and be unsigned", () => {
    const { transport, signature_scheme, stdin_port, key, ...rest } = whole;
    expect(readConnection(fileWith(rest)).info).toMatchObject({
      transport: "tcp",
      key: "",
      signatureScheme: "hmac-sha256",
    });
    expect(readConnection(fileWith({ ...whole, key: "", signature_scheme: "" })).info.key).toBe("");
    expect(readConnection(fileWith({ ...whole, signature_scheme: "hmac-sha512" })).info.signatureScheme).toBe(
      "hmac-sha512",
    );
  });

  test("of a kernel that listens everywhere leads to this machine", () => {
    for (const ip of ["*", "0.0.0.0"])
      expect(readConnection(fileWith({ ...whole, ip })).info.ip).toBe("127.0.0.1");
    expect(readConnection(fileWith({ ...whole, ip: "lab.example" })).info.ip).toBe("lab.example");
  });

  test("for ipc names its sockets relative to itself", () => {
    const file = fileWith({ ...whole, transport: "ipc", ip: "kernel-ipc" });
    expect(readConnection(file).info).toMatchObject({
      transport: "ipc",
      ip: file.replace("kernel-1.json", "kernel-ipc"),
    });
  });

  test("that is none says in one line what is wrong", () => {
    const { ip, hb_port, ...noHeartbeat } = whole;
    const problems: readonly (readonly [content: string | object, problem: string])[] = [
      ["", "does not contain JSON"],
      ["{", "does not contain JSON"],
      ["[1]", "does not contain a JSON object"],
      ["null", "does not contain a JSON object"],
      [{ ...noHeartbeat, ip }, "has no hb_port"],
      [{ ...noHeartbeat, hb_port }, "has no ip"],
      [{ ...whole, shell_port: 0 }, "has no shell_port yet: its kernel is starting, or never did"],
      [{ ...whole, shell_port: "1" }, 'has a bad shell_port: "1"'],
      [{ ...whole, iopub_port: 70_000 }, "has a bad iopub_port: 70000"],
      [{ ...whole, key: 7 }, "has a bad key: 7"],
      [{ ...whole, transport: "curve" }, 'has the transport "curve"; tcp and ipc are known'],
      [
        { ...whole, signature_scheme: "hmac-whirlpool" },
        'has the signature_scheme "hmac-whirlpool", which omp does not know',
      ],
    ];
    for (const [content, problem] of problems)
      expect(problemOf(content)).toBe(
        `omp: --kernel: 'FILE' is not a connection file: it ${problem} (KERNEL_FILE)`,
      );
  });

  test("that cannot be read says why", () => {
    const directory = temporaryDirectory();
    const missing = join(directory, "kernel-2.json");
    expect(() => readConnection(missing)).toThrow(`omp: --kernel: '${missing}' does not exist (ENOENT)`);
    expect(() => readConnection(directory)).toThrow(`omp: --kernel: '${directory}' is a directory (EISDIR)`);
  });
});

describe("a name", () => {
  function place() {
    const root = temporaryDirectory();
    const runtimeDirectory = join(root, "runtime");
    const cwd = join(root, "project");
    mkdirSync(runtimeDirectory);
    mkdirSync(cwd);
    for (const name of [
      "kernel-12.json",
      "kernel-34ab.json",
      "kernel-34cd.json",
      "jpserver-34.json",
      "own.json",
    ])
      writeFileSync(join(runtimeDirectory, name), "{}");
    return { home: root, runtimeDirectory, cwd };
  }

  test("that is a path is that file, from the working directory or from home", () => {
    const places = place();
    const { cwd, home } = places;
    expect(findConnectionFile("/run/k.json", places)).toBe("/run/k.json");
    expect(findConnectionFile("./k.json", places)).toBe(join(cwd, "k.json"));
    expect(findConnectionFile("~/k.json", places)).toBe(join(home, "k.json"));
    writeFileSync(join(cwd, "own.json"), "{}");
    expect(findConnectionFile("own.json", places)).toBe(join(cwd, "own.json"));
  });

  test("is looked up among Jupyter's files: whole, without its ends, or in part", () => {
    const places = place();
    const found = (name: string) =>
      findConnectionFile(name, places).replace(`${places.runtimeDirectory}/`, "");
    expect(["kernel-12.json", "kernel-12", "12", "own", "34a"].map(found)).toEqual([
      "kernel-12.json",
      "kernel-12.json",
      "kernel-12.json",
      "own.json",
      "kernel-34ab.json",
    ]);
  });

  test("that fits none or several is no guess", () => {
    const places = place();
    const { cwd, runtimeDirectory } = places;
    expect(() => findConnectionFile("99", places)).toThrow(
      `omp: --kernel: no file '99' in ${cwd}, and no kernel of that name in ${runtimeDirectory} (ENOENT)`,
    );
    expect(() => findConnectionFile("34", places)).toThrow(
      `omp: --kernel: '34' matches 2 files in ${runtimeDirectory}: kernel-34ab.json, kernel-34cd.json (AMBIGUOUS)`,
    );
    expect(() => findConnectionFile(" ", places)).toThrow("omp: --kernel: names no connection file (USAGE)");
  });

  test("is looked up where Jupyter's own tools put theirs", () => {
    const home = "/home/ada";
    expect(jupyterRuntimeDirectory({ JUPYTER_RUNTIME_DIR: "/r", JUPYTER_DATA_DIR: "/d" }, home)).toBe("/r");
    expect(jupyterRuntimeDirectory({ JUPYTER_DATA_DIR: "/d" }, home)).toBe("/d/runtime");
    expect(jupyterRuntimeDirectory({ XDG_DATA_HOME: "/x" }, home, "linux")).toBe("/x/jupyter/runtime");
    expect(jupyterRuntimeDirectory({}, home, "linux")).toBe("/home/ada/.local/share/jupyter/runtime");
    expect(jupyterRuntimeDirectory({}, home, "darwin")).toBe("/home/ada/Library/Jupyter/runtime");
  });
});
