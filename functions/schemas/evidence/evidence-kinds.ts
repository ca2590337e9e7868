// The kinds of sources of evidence: the language that each answers, its addresses, and the settings that define one of it.
// To add one: an entry here, and its client in adapters/evidence/clients.ts. The command line reads the kinds from here,
// without the drivers of the clients.

import type { CheckLanguage } from "../../../lib/checks/check.ts";

interface KindDeclaration {
  /** Of the checks that it answers. */
  readonly language: CheckLanguage;
  /** Schemes of its address, without the colon. */
  readonly schemes: readonly string[];
  /** Whether the address may name a user and `sslmode`, as a connection string does. Never a password. */
  readonly isConnectionString: boolean;
  /** The product for people. */
  readonly product: string;
}

/** @param prefix of the settings of the source that bears the name of its kind: `<prefix>_URL`, `<prefix>_CREDENTIAL` */
function declare<Prefix extends string>(prefix: Prefix, declaration: KindDeclaration) {
  return {
    ...declaration,
    urlSetting: `${prefix}_URL` as const,
    credentialSetting: `${prefix}_CREDENTIAL` as const,
  };
}

const HTTP = {
  schemes: ["http", "https"],
  isConnectionString: false,
} as const;

export const EVIDENCE_KINDS = {
  prometheus: declare("PROMETHEUS", {
    ...HTTP,
    language: "promql",
    product: "Prometheus, or a server with its HTTP API",
  }),
  loki: declare("LOKI", { ...HTTP, language: "logql", product: "Loki" }),
  postgres: declare("POSTGRES_CHECKS", {
    language: "sql",
    schemes: ["postgresql", "postgres"],
    isConnectionString: true,
    product: "PostgreSQL server for SQL checks",
  }),
  kubernetes: declare("KUBERNETES", {
    ...HTTP,
    language: "k8s",
    product: "Kubernetes API",
  }),
};

export type EvidenceKind = keyof typeof EVIDENCE_KINDS;
export type EvidenceKindSupport = (typeof EVIDENCE_KINDS)[EvidenceKind];
export type SourceUrlSetting = EvidenceKindSupport["urlSetting"];
export type SourceCredentialSetting = EvidenceKindSupport["credentialSetting"];

/** In the order of the declarations. */
export const EVIDENCE_KIND_NAMES = Object.keys(EVIDENCE_KINDS) as [EvidenceKind, ...EvidenceKind[]];
