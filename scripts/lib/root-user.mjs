/** Root, by way of `sudo` or in a container: nothing of root's is left in other users' directories. */

import { lchownSync, lstatSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { say } from "./checkout.mjs";

/**
 * The variables to go on with: `sudo` may leave the HOME of the user who called it.
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 */
export function environmentOfUser(env) {
  const home = env["HOME"];
  const owner = otherOwner(home);
  if (home === undefined || owner === undefined) return env;
  // npm itself, which called us, has written its log there.
  const cache = join(home, ".npm");
  for (const directory of isDirectory(cache) ? [cache, join(cache, "_logs")] : []) {
    give(directory, owner);
    for (const name of namesIn(directory)) give(join(directory, name), owner);
  }
  // In Bun os.userInfo() has the HOME that is set.
  const users = readFileSync("/etc/passwd", "utf8");
  const homedir = /^root:.*:(\/[^:]*):[^:]*$/m.exec(users)?.[1] ?? "/root";
  say(`you are root, but ${home} is not root's home directory; using ${homedir}`);
  // npm has put its own cache, in the other home, among the variables.
  return { ...env, HOME: homedir, npm_config_cache: join(homedir, ".npm") };
}

/**
 * What root has made in somebody's checkout becomes theirs.
 * @param {string} checkout
 * @param {string[]} paths
 */
export function giveToOwner(checkout, paths) {
  const owner = otherOwner(checkout);
  if (owner !== undefined) for (const path of paths) giveAll(path, owner);
}

/** When we are root and it is not root's. */
function otherOwner(path) {
  if (process.getuid?.() !== 0 || !path) return undefined;
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined || stats.uid === 0 ? undefined : stats;
}

function giveAll(path, owner) {
  give(path, owner);
  for (const name of namesIn(path)) giveAll(join(path, name), owner);
}

/** Not a file with a second name, which may be anything. */
function give(path, owner) {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.uid === 0 && (stats.isDirectory() || stats.nlink === 1)) lchownSync(path, owner.uid, owner.gid);
}

function namesIn(directory) {
  return isDirectory(directory) ? readdirSync(directory) : [];
}

function isDirectory(path) {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
