// Sources of evidence: the running systems that checks ask. Rows and environment variables define them.

import { z } from "zod";
import { EVIDENCE_KIND_NAMES } from "./evidence-kinds.ts";

export const evidenceSourceSchema = z.object({
  name: z.string(),
  kind: z.enum(EVIDENCE_KIND_NAMES),
  url: z.string().describe("Address of its API. Queries go to this address only."),
  credential: z
    .string()
    .nullable()
    .default(null)
    .describe(
      "Name of the Worker secret that holds its credential; null without one. The secret itself is never stored.",
    ),
  headers: z
    .record(z.string(), z.string())
    .default({})
    .describe("Headers of each request that hold no secret, such as `X-Scope-OrgID`."),
  labels: z
    .record(z.string(), z.array(z.string()))
    .default({})
    .describe("Alerts that it serves: each of these labels must have one of the values. Empty: all."),
  domains: z.array(z.string()).default([]).describe("Domains that it serves. Empty: all."),
  open_url: z
    .string()
    .nullable()
    .default(null)
    .describe("Address for links that people open, such as that of Grafana; null: `url`."),
});
export type EvidenceSourceDefinition = z.infer<typeof evidenceSourceSchema>;
