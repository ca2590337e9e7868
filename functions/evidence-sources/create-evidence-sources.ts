// Connects definitions of sources with the clients of their kinds and with the secrets of the environment.

import type { CreateEvidenceClient } from "../adapters/evidence/client.ts";
import { EVIDENCE_KINDS, type EvidenceKind } from "../schemas/evidence/evidence-kinds.ts";
import type { EvidenceSourceDefinition } from "../schemas/evidence/source.ts";
import type { StartTimer } from "../timers.ts";
import type { EvidenceSources } from "./evidence-services.ts";
import { createSourceStore } from "./source-store.ts";

export interface EvidenceSourceOptions {
  /** Sources that the environment defines. */
  readonly fixed: readonly EvidenceSourceDefinition[];
  readonly clients: Readonly<Record<EvidenceKind, CreateEvidenceClient>>;
  /** The environment; read at each call, because a binding may appear later. */
  readonly environment: Readonly<Record<string, unknown>>;
  readonly startTimer: StartTimer;
}

/** @param allowed the domains that the callers are restricted to; null for all */
export function createEvidenceSources(
  { fixed, clients, environment, startTimer }: EvidenceSourceOptions,
  allowed: readonly string[] | null = null,
): EvidenceSources {
  return {
    store: createSourceStore(fixed, allowed),
    clientOf(definition) {
      const { kind, credential: name } = definition;
      const credential = name === null ? null : credentialOf(environment[name]);
      if (name !== null && credential === null) return { state: "missing_credential", name };
      const secretHeaders = EVIDENCE_KINDS[kind].isConnectionString ? null : headersIn(credential ?? "");
      if (secretHeaders === null) return { state: "ready", client: clients[kind](definition, credential, startTimer) };
      const withHeaders = { ...definition, headers: { ...definition.headers, ...secretHeaders } };
      return { state: "ready", client: clients[kind](withHeaders, null, startTimer) };
    },
    hasCredential: (name) => (name === null ? null : credentialOf(environment[name]) !== null),
  };
}

const HEADER_LINE = /^([A-Za-z0-9-]{1,64}): +(\S[\x20-\x7e]{0,8000})$/;

/** The headers of a credential that consists of lines `name: value`, by lower-case name; null for another one. */
function headersIn(credential: string): Record<string, string> | null {
  const lines = credential.split(/\r?\n/).map((line) => HEADER_LINE.exec(line));
  const pairs = lines.flatMap((line) => (line === null ? [] : [[line[1]?.toLowerCase(), line[2]?.trim()]]));
  return pairs.length === lines.length ? Object.fromEntries(pairs) : null;
}

/** A secret, or the connection string of a binding. Null without either. */
function credentialOf(value: unknown): string | null {
  const isBinding = typeof value === "object" && value !== null && "connectionString" in value;
  const text = isBinding ? value.connectionString : value;
  return typeof text === "string" && text.trim() !== "" ? text.trim() : null;
}
