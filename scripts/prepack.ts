/** Before `npm pack`: the bundle that the package contains, so that nothing has to be built where it is installed. */

import { resolve } from "node:path";
import { buildBundle } from "./bundle.ts";

await buildBundle(resolve(import.meta.dir, ".."), { name: "package", keepOldMs: 0 });
