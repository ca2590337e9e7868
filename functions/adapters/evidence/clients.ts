// The clients of the kinds of sources of evidence, which schemas/evidence/evidence-kinds.ts declares.

import type { EvidenceKind } from "../../schemas/evidence/evidence-kinds.ts";
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
