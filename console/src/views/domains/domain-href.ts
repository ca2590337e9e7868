// Addresses of domains.

import { consolePath } from "../../format/console-path.ts";

export const DOMAINS = consolePath("/domains");

export function domainHref(name: string, part: "read" | "edit" = "read"): string {
  return `${DOMAINS}/${encodeURIComponent(name)}${part === "read" ? "" : `?part=${part}`}`;
}

export function runbooksHref(domain: string): string {
  return consolePath(`/runbooks?domain=${encodeURIComponent(domain)}`);
}
