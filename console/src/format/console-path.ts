// Addresses of the console's pages.

export const BASE = "/console";

/** @param path below `/console`, such as `/incidents/3f2a…` */
export function consolePath(path: string): string {
  return `${BASE}${path}`;
}
