/** Made with the first use, and only once. */

export interface Once<T> {
  readonly get: () => T;
  /** What `get` returned, if it has been called. */
  readonly made: T | undefined;
}

export function once<T>(make: () => T): Once<T> {
  let made: { readonly value: T } | undefined;
  return {
    get: () => {
      made ??= { value: make() };
      return made.value;
    },
    get made() {
      return made?.value;
    },
  };
}
