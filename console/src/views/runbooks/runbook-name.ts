// Names of runbooks in the API and in addresses. Pure functions.

import { consolePath } from "../../format/console-path.ts";

export interface RunbookName {
  readonly domain: string;
  /** The path without the domain, such as `team/ingress.md`. */
  readonly source: string;
}

/** @param name such as `kubernetes/team/ingress.md` */
export function splitName(name: string): RunbookName {
  const slash = name.indexOf("/");
  return { domain: name.slice(0, slash), source: name.slice(slash + 1) };
}

export type RunbookPart = "read" | "edit" | "history" | "uses";

/** The address of a runbook. */
export function runbookHref({ domain, source }: RunbookName, part: RunbookPart = "read"): string {
  const path = [domain, ...source.split("/")].map(encodeURIComponent).join("/");
  return consolePath(`/runbooks/${path}${part === "read" ? "" : `?part=${part}`}`);
}

/** A path for a title, such as `ingress-answers-502.md`. */
export function sourceOf(title: string): string {
  const words = title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.length === 0 ? "" : `${words.join("-").slice(0, 80)}.md`;
}
