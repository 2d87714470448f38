/** Which hosts the settings allow: `example.com`, `*.example.com`, `localhost:8080`. */

export interface HostAddress {
  readonly host: string;
  readonly port: number;
}

/** Of HTTP and HTTPS: what a host without a port means. */
const USUAL_PORTS = [80, 443];

export function isAllowed({ host, port }: HostAddress, allowed: readonly string[]): boolean {
  const name = host.toLowerCase().replace(/\.$/, "");
  return allowed.some((entry) => {
    const [, pattern = "", given] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    if (given === undefined ? !USUAL_PORTS.includes(port) : Number(given) !== port) return false;
    // `*.example.com` is every host below it, and not the domain itself.
    return pattern.startsWith("*.")
      ? name.endsWith(pattern.slice(1)) && name.length >= pattern.length
      : name === pattern;
  });
}

/** The names that a program would otherwise not ask a proxy for. */
export function directHosts(allowed: readonly string[]): string[] {
  const names = allowed.map((entry) => entry.toLowerCase().replace(/:\d+$/, ""));
  return ["localhost", "127.0.0.1", "::1"].filter((name) => !names.includes(name));
}
