/** How both builds bundle: for production, and without the developer tools that Ink would load on demand. */

import type { BunPlugin } from "bun";

/** Ink imports it behind a switch that is off in our builds; it is not among our packages. */
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

export const bundling = {
  target: "bun" as const,
  minify: true,
  plugins: [withoutDevtools],
  define: {
    "process.env.NODE_ENV": JSON.stringify("production"),
    // Ink's switch: a variable that people have set for other programs must not turn it on.
    "process.env.DEV": JSON.stringify("false"),
  },
};
