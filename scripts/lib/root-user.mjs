/** Root, by way of `sudo` or in a container: nothing of root's is left in other users' directories. */

import { lchownSync, lstatSync, readdirSync, statSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { say } from "./checkout.mjs";

/**
 * The variables to go on with: `sudo` may leave the HOME of the user who called it.
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 */
export function environmentOfUser(env, user = userInfo()) {
  const home = env["HOME"];
  if (user.uid !== 0 || !home || (ownerOf(home)?.uid ?? 0) === 0) return env;
  say(`you are root and ${home} is not root's home; using ${user.homedir}`);
  // npm has put its own cache, in the other home, among the variables.
  return { ...env, HOME: user.homedir, npm_config_cache: join(user.homedir, ".npm") };
}

/**
 * What root has made in somebody's checkout becomes theirs.
 * @param {string} checkout
 * @param {string[]} paths
 */
export function giveToOwner(checkout, paths, uid = process.getuid?.()) {
  const owner = ownerOf(checkout);
  if (uid !== 0 || owner === undefined || owner.uid === 0) return;
  for (const path of paths) give(path, owner);
}

function give(path, owner) {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (stats.uid !== owner.uid) lchownSync(path, owner.uid, owner.gid);
  if (stats.isDirectory()) for (const name of readdirSync(path)) give(join(path, name), owner);
}

function ownerOf(path) {
  return statSync(path, { throwIfNoEntry: false });
}
