/** What the managed environment has in it: the packages that are asked for, and the exact ones that are installed. */

import pinned from "./managed-requirements.txt" with { type: "text" };

/** Just enough for a kernel with plots, whose variables can be kept. */
export const managedPackages: readonly string[] = ["ipykernel>=6.29", "matplotlib-inline", "cloudpickle>=3"];

/** In pip's own format, with hashes; for every Python up to `NEWEST_PINNED_MINOR`. */
export const pinnedPackages: string = pinned;

/** A later Python may need packages that came out after the pins. */
export const NEWEST_PINNED_MINOR = 14;
