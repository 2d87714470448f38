/** The least of a client for a gateway's kernels: enough to see that one works. */

import type { GatewayAddress } from "../../../../src/kernel/gateway/shared/status.ts";

export async function call(
  { url, token }: GatewayAddress,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  return await fetch(`${url}${path}`, {
    ...init,
    headers: { Authorization: `token ${token}`, ...init.headers },
  });
}

export async function startKernel(address: GatewayAddress, body: object = {}): Promise<string> {
  const response = await call(address, "/api/kernels", { method: "POST", body: JSON.stringify(body) });
  if (response.status !== 201) throw new Error(`no kernel: ${response.status} ${await response.text()}`);
  const { id } = (await response.json()) as { id: string };
  return id;
}

/** The cell's stdout, when its reply and its idle are both there. */
export async function runIn(address: GatewayAddress, kernel: string, code: string): Promise<string> {
  const channels = `${address.url.replace("http", "ws")}/api/kernels/${kernel}/channels`;
  const socket = new WebSocket(channels, { headers: { Authorization: `token ${address.token}` } });
  const id = crypto.randomUUID();
  const content = { code, silent: false, store_history: false, user_expressions: {}, allow_stdin: false };
  const header = { msg_id: id, msg_type: "execute_request", session: id, username: "test", version: "5.3" };
  const request = { header, parent_header: {}, metadata: {}, content, channel: "shell", buffers: [] };
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const ends = new Set<string>();
  const output: string[] = [];
  socket.onopen = () => socket.send(JSON.stringify(request));
  socket.onerror = () => reject(new Error(`the websocket of ${kernel} failed`));
  socket.onclose = () => reject(new Error(`the websocket of ${kernel} was closed`));
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(String(data));
    if (message.parent_header?.msg_id !== id) return;
    if (message.msg_type === "stream") output.push(message.content.text);
    if (message.msg_type === "execute_reply") ends.add("reply");
    if (message.msg_type === "status" && message.content.execution_state === "idle") ends.add("idle");
    if (ends.size === 2) resolve(output.join(""));
  };
  try {
    return await promise;
  } finally {
    socket.onclose = null;
    socket.close();
  }
}
