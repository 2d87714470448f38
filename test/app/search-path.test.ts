import { expect, test } from "bun:test";
import { dropRelativePath } from "../../src/app/search-path.ts";

test.each([
  ["/usr/bin:/bin", "/usr/bin:/bin"],
  [".:/usr/bin::bin:./bin:/bin:", "/usr/bin:/bin"],
  ["", ""],
  [undefined, undefined],
])("of the PATH %p, %p is used", (given, used) => {
  const env = { PATH: given };
  dropRelativePath(env);
  expect(env).toEqual({ PATH: used });
});
