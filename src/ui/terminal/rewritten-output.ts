/** A terminal's output whose text is rewritten on its way; everything else about it is the terminal's. */

export function rewrittenOutput(
  terminal: NodeJS.WriteStream,
  rewrite: (text: string) => string,
): NodeJS.WriteStream {
  const write = (data: unknown, ...rest: unknown[]): boolean =>
    Reflect.apply(terminal.write, terminal, [typeof data === "string" ? rewrite(data) : data, ...rest]);
  return new Proxy(terminal, {
    get: (target, key) => {
      if (key === "write") return write;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
    set: (target, key, value) => Reflect.set(target, key, value, target),
  });
}
