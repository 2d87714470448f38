/** A certificate for 127.0.0.1 that nobody vouches for. */

import { readFileSync } from "node:fs";
import { join } from "node:path";

export async function selfSigned(
  directory: string,
): Promise<{ readonly cert: string; readonly key: string }> {
  const cert = join(directory, "cert.pem");
  const key = join(directory, "key.pem");
  const openssl = Bun.spawn({
    cmd: [
      ...["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
      ...["-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"],
      ...["-keyout", key, "-out", cert],
    ],
    stdout: "ignore",
    stderr: "pipe",
  });
  if ((await openssl.exited) !== 0) throw new Error(await openssl.stderr.text());
  return { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
}
