/** Before `npm pack`: the bundle that the package contains, so that nothing has to be built where it is installed. */

import { resolve } from "node:path";
import { buildBundle } from "./bundle.ts";
import { withPip } from "./lib/bundling.ts";
import { fetchPip } from "./lib/fetch-pip.ts";

const root = resolve(import.meta.dir, "..");
const plugins = [withPip(await fetchPip(root))];
await buildBundle(root, { name: "package", keepOldMs: 0, plugins });
