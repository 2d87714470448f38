/** The Python environments that tests run against, as plans for the code that also makes omp's own. */

import { join } from "node:path";
import { usualPythons } from "../src/python/base-pythons.ts";
import type { EnvironmentPlan } from "../src/python/managed-environment.ts";
import { uvCache } from "./test-uv.ts";

export interface TestEnvironmentPlan extends EnvironmentPlan {
  /** Its packages have no wheels for some platforms: the tests that need it are left out there, on CI, too. */
  readonly isOptional?: boolean;
}

/** What distributions still ship, and what came before a change that omp depends on; only the core of the contract runs on them. */
export const OLDER_IPYKERNELS = ["6.17", "6.25", "6.28"] as const;

export function testEnvironmentPlans(
  root: string,
  { uv, ...options }: Pick<EnvironmentPlan, "env" | "signal" | "onProgress" | "uv">,
): TestEnvironmentPlan[] {
  const plan = (directory: string, file: string, imports: readonly string[]): EnvironmentPlan => ({
    target: join(root, directory),
    requirements: { file: join(root, "test", file) },
    label: `test/${file}`,
    imports,
    // Without a package index a developer can still run the tests that need only a kernel. On CI nothing is skipped.
    borrow: options.env["CI"] !== "true",
    adopt: false,
    elsewhere: usualPythons,
    ...options,
    // Nothing but the named packages: no other Python, and no files outside the checkout.
    env: { ...options.env, UV_CACHE_DIR: uvCache(root), UV_PYTHON_DOWNLOADS: "never" },
    uv,
  });
  const gateways = ["jupyter_client", "jupyter_server", "kernel_gateway", "nbformat", "nbclient"];
  return [
    plan(".venv", "requirements.txt", ["ipykernel.kernelapp", "matplotlib", "pandas", ...gateways]),
    plan(".venv-ipykernel6", "requirements-ipykernel6.txt", ["ipykernel.kernelapp", "matplotlib"]),
    ...OLDER_IPYKERNELS.map((version) =>
      plan(`.venv-ipykernel${version}`, `requirements-ipykernel${version}.txt`, ["ipykernel.kernelapp"]),
    ),
    {
      ...plan(".venv-enterprise", "requirements-enterprise.txt", [
        "ipykernel.kernelapp",
        "enterprise_gateway",
      ]),
      // It needs a pyzmq that has no wheels for Python 3.12 and later.
      isOptional: true,
    },
    {
      ...plan(".venv-xeus", "requirements-xeus.txt", ["xpython"]),
      borrow: false,
      isOptional: true,
    },
    {
      ...plan(".venv-real-model", "requirements-real-model.txt", ["xllamacpp"]),
      // By pip where there is a choice: uv has no variable that says this.
      env: { ...options.env, PIP_NO_DEPS: "1" },
      uv: undefined,
      borrow: false,
      isOptional: true,
    },
  ];
}
