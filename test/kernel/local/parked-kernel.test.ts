import { expect, test } from "bun:test";
import { join } from "node:path";
import { LocalParkedKernel } from "../../../src/kernel/local/parked-kernel.ts";
import { temporaryDirectory } from "../../support/home.ts";

test("a copy that ends before it can be asked is none, in one line", async () => {
  const never = () => {
    throw new Error("there is no process");
  };
  const socket = join(temporaryDirectory(), "gone");
  const parts = { socket, notHeld: [], adopt: never, wake: never };
  await expect(LocalParkedKernel.connect(parts, new AbortController().signal)).rejects.toMatchObject({
    name: "KernelError",
    kind: "start-failed",
    message: "python: copy of the kernel: it ended (KERNEL_COPY)",
  });
});
