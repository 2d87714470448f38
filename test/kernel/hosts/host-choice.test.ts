import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { defaultSettings } from "../../../src/config/defaults.ts";
import type { Settings } from "../../../src/config/schema.ts";
import { chooseHost, describeHost, type HostChoiceOptions } from "../../../src/kernel/hosts/host-choice.ts";
import { temporaryDirectory } from "../../support/home.ts";

const lab = { name: "lab", url: "https://hub.example.org/user/ann/", tokenEnv: "LAB_TOKEN" };

function choiceFor(
  python: Partial<Settings["python"]>,
  options: Partial<Omit<HostChoiceOptions, "settings">> & { gateways?: Settings["gateways"] } = {},
) {
  const { gateways = [], ...rest } = options;
  const settings = { python: { ...defaultSettings.python, ...python }, gateways };
  return chooseHost({ settings, gateway: undefined, env: {}, projectRoot: "/project", ...rest });
}

test("the variable goes before the named gateway, that before the shared one, that before kernels of our own", () => {
  const everything = {
    gateways: [lab],
    env: { LAB_TOKEN: "t" },
    gateway: { url: "http://h:1/base", token: "x" },
  };
  const python = { gateway: "lab", sharedGateway: true };
  expect(choiceFor(python, everything)).toEqual({
    kind: "external",
    gateway: { name: "h:1", url: "http://h:1/base", token: "x" },
    host: "h:1",
    kernelSpec: undefined,
    kernelEnv: {},
  });
  expect(choiceFor(python, { ...everything, gateway: undefined })).toEqual({
    kind: "external",
    gateway: { name: "lab", url: lab.url, token: "t", ca: undefined },
    host: "hub.example.org",
    kernelSpec: undefined,
    kernelEnv: {},
  });
  expect(choiceFor({ gateway: "local", sharedGateway: true })).toEqual({
    kind: "shared",
    kernelSpec: undefined,
  });
  expect(choiceFor({ kernelSpec: "k" })).toEqual({ kind: "local", kernelSpec: "k" });
});

test("a kernel that runs already goes before everything", () => {
  const connection = (name: string) => ({ file: `/run/${name}.json`, info: undefined as never });
  const existing = connection("kernel-0f8fad5b-d9cb-469f-a165-70867728950e");
  const choice = choiceFor(
    { sharedGateway: true },
    { existing, gateway: { url: "http://h:1/", token: "x" } },
  );
  expect(choice).toEqual({ kind: "existing", connection: existing });
  expect(describeHost(choice)).toEqual({
    name: "where it was running already: /run/kernel-0f8fad5b-d9cb-469f-a165-70867728950e.json",
    short: "kernel-0f8fad5b",
    isElsewhere: false,
    isBorrowed: true,
  });
  expect(describeHost(choiceFor({}, { existing: connection("my kernel") })).short).toBe("my kernel");
});

test("a gateway's own kernelspec, variables and certificates", () => {
  const ca = "-----BEGIN CERTIFICATE-----\n";
  const directory = temporaryDirectory();
  writeFileSync(join(directory, "ca.pem"), ca);
  const gateway = {
    name: "a",
    url: "http://h/",
    caFile: "~/ca.pem",
    kernelSpec: "spark",
    env: { KERNEL_A: "1" },
  };
  const python = { gateway: "a", kernelSpec: "python3" };
  expect(choiceFor(python, { gateways: [gateway], env: { HOME: directory } })).toEqual({
    kind: "external",
    gateway: { name: "a", url: "http://h/", token: undefined, ca },
    host: "h",
    kernelSpec: "spark",
    kernelEnv: { KERNEL_A: "1" },
  });
});

test("what cannot be is told in a line, with what to do", () => {
  const reasons = [
    choiceFor({ gateway: "lib" }, { gateways: [lab] }),
    choiceFor({ gateway: "lib" }),
    choiceFor({ gateway: "lab" }, { gateways: [lab] }),
    choiceFor({ gateway: "a" }, { gateways: [{ name: "a", url: "https://h/", caFile: "gone.pem" }] }),
  ].map((choice) => (choice.kind === "unusable" ? choice.problem.reason : choice.kind));
  expect(reasons).toEqual([
    "python: python.gateway is 'lib', but no gateway has that name; use one of lab (GATEWAY_UNKNOWN)",
    "python: python.gateway is 'lib', but no gateway has that name; add it to the setting gateways (GATEWAY_UNKNOWN)",
    "python: the token of the gateway 'lab' is in LAB_TOKEN, which is not set; set the variable (GATEWAY_TOKEN_NOT_SET)",
    "python: the caFile of the gateway 'a' cannot be used: /project/gone.pem cannot be read (ENOENT); fix the setting gateways (GATEWAY_CA_UNREADABLE)",
  ]);
});

test("where kernels live is told without anything secret", () => {
  const external = choiceFor({}, { gateway: { url: "https://ann:pw@h/base?token=t", token: undefined } });
  expect(
    [external, choiceFor({ gateway: "lab" }, { gateways: [lab], env: { LAB_TOKEN: "t" } })].map(
      (choice) => describeHost(choice).name,
    ),
  ).toEqual(["in the Jupyter gateway h", "in the Jupyter gateway 'lab' (hub.example.org)"]);
});
