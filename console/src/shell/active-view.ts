// Which view of the navigation an address belongs to.

import { BASE } from "../format/console-path.ts";

/** @param href of the view; an incident belongs to the list of incidents */
export function isActive(path: string, href: string): boolean {
  if (href === BASE) return path === BASE || path.startsWith(`${BASE}/incidents`);
  return path === href || path.startsWith(`${href}/`);
}
