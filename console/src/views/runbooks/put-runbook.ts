// Stores the text of a runbook.

import { api } from "../../api/client.ts";
import { settle } from "../../api/failure.ts";
import type { RunbookName } from "./runbook-name.ts";

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
