// The clients of the kinds of sources of evidence. To add a kind: its adapter and a line here, and its entries in
// schemas/evidence/.

import type { EvidenceKind } from "../../schemas/evidence/source.ts";
import type { CreateEvidenceClient } from "./client.ts";
import { createKubernetesClient } from "./kubernetes.ts";
import { createLokiClient } from "./loki.ts";
import { createPostgresClient } from "./postgres.ts";
import { createPrometheusClient } from "./prometheus.ts";

export const EVIDENCE_CLIENTS: Readonly<Record<EvidenceKind, CreateEvidenceClient>> = {
  prometheus: createPrometheusClient,
  loki: createLokiClient,
  postgres: createPostgresClient,
  kubernetes: createKubernetesClient,
};
