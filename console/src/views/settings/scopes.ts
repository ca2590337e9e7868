// The scopes of tokens in words.

import type { Scope } from "../../session/session.ts";

export const SCOPES: readonly { readonly scope: Scope; readonly allows: string }[] = [
  { scope: "report", allows: "send alerts, incidents and changes; it reads nothing" },
  { scope: "triage", allows: "the same, and ask for answers, which quote what memory holds" },
  { scope: "read", allows: "read incidents, changes and memory, and search" },
  { scope: "feedback", allows: "rate answers and record fixes" },
  { scope: "ingest", allows: "load runbooks and documents, and try sources of evidence" },
  { scope: "admin", allows: "delete records, define sources, run jobs, make and revoke tokens" },
];
