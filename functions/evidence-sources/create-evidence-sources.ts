// Connects definitions of sources with the clients of their kinds and with the secrets of the environment.

import type { CreateEvidenceClient } from "../adapters/evidence/client.ts";
import type { EvidenceKind, EvidenceSourceDefinition } from "../schemas/evidence/source.ts";
import type { EvidenceSources } from "./services.ts";
import { createSourceStore } from "./source-store.ts";

export interface EvidenceSourceOptions {
  /** Sources that the environment defines. */
  readonly fixed: readonly EvidenceSourceDefinition[];
  readonly clients: Readonly<Record<EvidenceKind, CreateEvidenceClient>>;
  /** The environment; read at each call, because a binding may appear later. */
  readonly environment: Readonly<Record<string, unknown>>;
}

/** @param allowed the domains that the callers are restricted to; null for all */
export function createEvidenceSources(
  { fixed, clients, environment }: EvidenceSourceOptions,
  allowed: readonly string[] | null = null,
): EvidenceSources {
  return {
    store: createSourceStore(fixed, allowed),
    clientOf(definition) {
      const { kind, credential: name } = definition;
      const credential = name === null ? null : credentialOf(environment[name]);
      if (name !== null && credential === null) return { state: "missing_credential", name };
      return { state: "ready", client: clients[kind](definition, credential) };
    },
    hasCredential: (name) => (name === null ? null : credentialOf(environment[name]) !== null),
  };
}

/** A secret, or the connection string of a binding. Null without either. */
function credentialOf(value: unknown): string | null {
  const isBinding = typeof value === "object" && value !== null && "connectionString" in value;
  const text = isBinding ? value.connectionString : value;
  return typeof text === "string" && text.trim() !== "" ? text.trim() : null;
}
