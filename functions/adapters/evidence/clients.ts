// The clients of the kinds of sources of evidence.

import { DependencyError } from "../../dependencies.ts";
import type { EvidenceKind } from "../../schemas/evidence/source.ts";
import type { CreateEvidenceClient } from "./client.ts";
import { createKubernetesClient } from "./kubernetes.ts";
import { createLokiClient } from "./loki.ts";
import { createPrometheusClient } from "./prometheus.ts";

const createUnsupported: CreateEvidenceClient = (definition) => {
  const refuse = () => Promise.reject(new DependencyError("evidence_source", "refused", "this kind has no client"));
  return { definition, run: refuse, ping: refuse, linkTo: () => null };
};

export const EVIDENCE_CLIENTS: Readonly<Record<EvidenceKind, CreateEvidenceClient>> = {
  prometheus: createPrometheusClient,
  loki: createLokiClient,
  postgres: createUnsupported,
  kubernetes: createKubernetesClient,
};
