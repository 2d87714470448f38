/** Options of both builds: for production, without the developer tools that Ink would load on demand. */

import type { BunPlugin } from "bun";

/** Ink imports it only when a switch is set that is off in our builds, and we do not install it. */
const withoutDevtools: BunPlugin = {
  name: "without react-devtools-core",
  setup(build) {
    build.onResolve({ filter: /^react-devtools-core$/ }, ({ path }) => ({ path, namespace: "left-out" }));
    build.onLoad({ filter: /.*/, namespace: "left-out" }, () => ({
      contents: "export default {};",
      loader: "js",
    }));
  },
};

/**
 * Commander loads it for commands that are separate programs, of which we have none: loading it would be a seventh of the time
 * of `omp --help`.
 */
const withoutSubprograms: BunPlugin = {
  name: "commander without node:child_process",
  setup(build) {
    build.onLoad({ filter: /commander[\\/]lib[\\/]command\.js$/ }, async ({ path }) => {
      const source = await Bun.file(path).text();
      return { contents: source.replace("require('node:child_process')", "{}"), loader: "js" };
    });
  },
};

export const bundling = {
  target: "bun" as const,
  minify: true,
  plugins: [withoutDevtools, withoutSubprograms],
  define: {
    "process.env.NODE_ENV": JSON.stringify("production"),
    // Ink's switch: a variable that the user has set for other programs must not turn it on.
    "process.env.DEV": JSON.stringify("false"),
  },
};

/** Puts the program into a single file; src/tools/find-ripgrep.ts takes it out where it is needed. */
export function withRipgrep(program: string): BunPlugin {
  return withFile(program, { module: /tools[\\/]embedded-ripgrep\.ts$/, name: "embeddedRipgrep" });
}

/** Puts pip's wheel into a build, for a Python that has no pip; src/python/pip-wheel.ts takes it out where it is needed. */
export function withPip(wheel: string): BunPlugin {
  return withFile(wheel, { module: /python[\\/]embedded-pip\.ts$/, name: "embeddedPip" });
}

/** @param module which has only a constant of that name: undefined in a checkout, the path of the file in a build */
function withFile(file: string, { module, name }: { module: RegExp; name: string }): BunPlugin {
  return {
    name: `with ${name}`,
    setup(build) {
      build.onLoad({ filter: module }, () => ({
        contents: `import file from ${JSON.stringify(file)} with { type: "file" };\nexport const ${name} = file;\n`,
        loader: "ts",
      }));
    },
  };
}
