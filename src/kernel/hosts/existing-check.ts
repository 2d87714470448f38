/** Whether the kernel of `--kernel` can be worked in, and what it is. Asked once: at the start several want to know. */

import { failedPreflight, type Preflight } from "../../python/preflight.ts";
import { KernelError } from "../errors.ts";
import type { ExistingConnection } from "../existing/connection.ts";
import { type KernelInfo, lookAtKernel } from "../existing/reach.ts";
import type { ExistingPlace } from "./kernel-place.ts";
import type { PythonFacts } from "./kernels.ts";

const looks = new WeakMap<ExistingConnection, Promise<KernelInfo | undefined>>();

export async function checkExisting({ connection }: ExistingPlace): Promise<Preflight> {
  try {
    await look(connection);
    return { ok: true };
  } catch (error) {
    if (!(error instanceof KernelError)) throw error;
    const isOther = error.code === "KERNEL_LANGUAGE";
    return failedPreflight(isOther ? "KERNEL_LANGUAGE" : "KERNEL_UNREACHABLE", error.issue, {
      advice: "give another --kernel, or none",
    });
  }
}

/** Undefined when it is not there, or too busy to say. */
export async function existingFacts({ connection }: ExistingPlace): Promise<PythonFacts | undefined> {
  try {
    const info = await look(connection);
    return info && { path: connection.file, version: info.version, packages: [info.implementation] };
  } catch (error) {
    if (!(error instanceof KernelError)) throw error;
    return undefined;
  }
}

async function look(connection: ExistingConnection): Promise<KernelInfo | undefined> {
  const looking = looks.get(connection) ?? lookAtKernel(connection);
  looks.set(connection, looking);
  return await looking;
}
