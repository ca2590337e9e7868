// Dependencies of everything that asks sources of evidence.

import type { EvidenceClient } from "../adapters/evidence/client.ts";
import type { EvidenceSourceDefinition } from "../schemas/evidence/source.ts";
import type { SourceStore } from "./source-store.ts";

export type SourceClient =
  | { readonly state: "ready"; readonly client: EvidenceClient }
  /** The Worker has no secret of the name that the definition holds. */
  | { readonly state: "missing_credential"; readonly name: string };

export interface EvidenceSources {
  /** Of a restricted caller: its own. */
  readonly store: SourceStore;
  /** Creates the client of a source. The credential is read from the environment by its name, at this moment. */
  clientOf(definition: EvidenceSourceDefinition): SourceClient;
  /** Whether the environment has this credential; null for null. */
  hasCredential(name: string | null): boolean | null;
}

export interface EvidenceServices {
  readonly evidenceSources: EvidenceSources;
}

/** Why a query was not sent: the end of a sentence. */
export function missingCredentialReason(name: string): string {
  return `the Worker has no secret ${name}, which the source names as its credential`;
}
