// The kinds of sources of evidence: the addresses that they have, and the settings that define one of each kind.

import type { EvidenceKind } from "./source.ts";

export interface SourceKindSupport {
  /** Schemes of its address, without the colon. */
  readonly schemes: readonly string[];
  /** Whether the address may name a user and `sslmode`, as a connection string does. Never a password. */
  readonly isConnectionString: boolean;
  /** The product for people. */
  readonly product: string;
  /** Forms of its credential, for people. */
  readonly credentialForms: string;
  /** Settings of the source that bears the name of its kind. */
  readonly urlSetting: SourceUrlSetting;
  readonly credentialSetting: SourceCredentialSetting;
}

export type SourceUrlSetting = "PROMETHEUS_URL" | "LOKI_URL" | "POSTGRES_CHECKS_URL" | "KUBERNETES_URL";
export type SourceCredentialSetting =
  | "PROMETHEUS_CREDENTIAL"
  | "LOKI_CREDENTIAL"
  | "POSTGRES_CHECKS_CREDENTIAL"
  | "KUBERNETES_CREDENTIAL";

const HTTP = {
  schemes: ["http", "https"],
  isConnectionString: false,
  credentialForms: "a bearer token, `user:password`, or lines `Header: value`",
} as const;

export const SOURCE_KINDS: Readonly<Record<EvidenceKind, SourceKindSupport>> = {
  prometheus: {
    ...HTTP,
    product: "Prometheus, or a server with its HTTP API",
    urlSetting: "PROMETHEUS_URL",
    credentialSetting: "PROMETHEUS_CREDENTIAL",
  },
  loki: { ...HTTP, product: "Loki", urlSetting: "LOKI_URL", credentialSetting: "LOKI_CREDENTIAL" },
  postgres: {
    schemes: ["postgresql", "postgres"],
    isConnectionString: true,
    credentialForms: "`user:password`, a whole connection string, or a Hyperdrive binding of this name",
    product: "PostgreSQL server for SQL checks",
    urlSetting: "POSTGRES_CHECKS_URL",
    credentialSetting: "POSTGRES_CHECKS_CREDENTIAL",
  },
  kubernetes: {
    ...HTTP,
    credentialForms: "a bearer token of a service account, or lines `Header: value`",
    product: "Kubernetes API",
    urlSetting: "KUBERNETES_URL",
    credentialSetting: "KUBERNETES_CREDENTIAL",
  },
};
