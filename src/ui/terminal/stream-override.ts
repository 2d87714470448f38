/** A terminal's stream with one method replaced; everything else (raw mode, listeners, size) is the stream's own. */

export function overrideMethod<Stream extends object>(stream: Stream, name: string, method: unknown): Stream {
  return new Proxy(stream, {
    get: (target, key) => {
      if (key === name) return method;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
    set: (target, key, value) => Reflect.set(target, key, value, target),
  });
}

/** The terminal's output with every text rewritten on its way. */
export function rewriteOutput(
  terminal: NodeJS.WriteStream,
  rewrite: (text: string) => string,
): NodeJS.WriteStream {
  return overrideMethod(terminal, "write", (data: unknown, ...rest: unknown[]): boolean =>
    Reflect.apply(terminal.write, terminal, [typeof data === "string" ? rewrite(data) : data, ...rest]),
  );
}
