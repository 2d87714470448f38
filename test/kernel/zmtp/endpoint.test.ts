import { expect, test } from "bun:test";
import { endpointName, isConnectedToItself } from "../../../src/kernel/zmtp/endpoint.ts";

test("endpoints are written the way ZeroMQ writes them", () => {
  expect(endpointName({ transport: "ipc", path: "/run/k-1" })).toBe("ipc:///run/k-1");
  expect(endpointName({ transport: "tcp", host: "127.0.0.1", port: 5555 })).toBe("tcp://127.0.0.1:5555");
  expect(endpointName({ transport: "tcp", host: "::1", port: 5555 })).toBe("tcp://[::1]:5555");
});

test("a tcp socket whose two ends are one is recognised", () => {
  const ends = {
    localAddress: "127.0.0.1",
    localPort: 43_808,
    remoteAddress: "127.0.0.1",
    remotePort: 43_808,
  };
  expect(isConnectedToItself(ends)).toBe(true);
  expect(isConnectedToItself({ ...ends, localPort: 43_810 })).toBe(false);
  expect(isConnectedToItself({ ...ends, remoteAddress: "10.0.0.1" })).toBe(false);
});
