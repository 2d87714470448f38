/** Made with the first use, and only once. */

export interface Once<T> {
  readonly get: () => T;
  /** What `get` returned, if it has been called. */
  readonly made: T | undefined;
}

/** The same for what may fail: the next use tries again. */
export function onceSuccessful<T>(make: () => Promise<T>): Once<Promise<T>> {
  let made: Promise<T> | undefined;
  return {
    get: () => {
      if (made === undefined) {
        const making = make();
        made = making;
        making.catch(() => {
          if (made === making) made = undefined;
        });
      }
      return made;
    },
    get made() {
      return made;
    },
  };
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
