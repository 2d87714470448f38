/** Types of checkout.mjs, which Node runs before there is a compiler. */

export const root: string;
export function checkoutPaths(
  checkout: string,
): Readonly<
  Record<"modules" | "lockFile" | "installedFile" | "dist" | "bundle" | "launcher" | "state", string>
>;
