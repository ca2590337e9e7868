// Names and texts of runbooks in the API and in addresses.

import { api } from "../../api/client.ts";
import { settle } from "../../api/failure.ts";
import type { Body } from "../../api/types.ts";
import { consolePath } from "../../format/console-path.ts";

export type RunbookDetail = Body<"/v1/runbooks/{domain}/{source}">;

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

export const ORIGINS = { api: "stored here", folder: "from a folder", built_in: "built in" } as const;
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

/** The Markdown without its front matter and its title, which the page shows above it. */
export function withoutFrontMatter(markdown: string): string {
  const lines = markdown.replace(/^\uFEFF/, "").split(/\r?\n/);
  const end = lines[0] === "---" ? lines.indexOf("---", 1) : -1;
  const body = end > 0 ? lines.slice(end + 1) : lines;
  const first = body.findIndex((line) => line.trim() !== "");
  return (/^# /.test(body[first] ?? "") ? body.slice(first + 1) : body).join("\n");
}

/** Stores a text if the stored one is still that of the etag; null: if there is none. */
export function putRunbook(path: RunbookName, markdown: string, etag: string | null) {
  const condition = etag === null ? { "if-none-match": "*" as const } : { "if-match": `"${etag}"` };
  return settle(
    api.PUT("/v1/runbooks/{domain}/{source}", {
      params: { path, header: condition },
      body: markdown,
      bodySerializer: (body) => body,
      headers: { "content-type": "text/markdown" },
    }),
  );
}
