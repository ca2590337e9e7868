// Sources of evidence that the environment defines: at most one of each kind, named after it.

import {
  EVIDENCE_KIND_NAMES,
  EVIDENCE_KINDS,
  type SourceCredentialSetting,
  type SourceUrlSetting,
} from "../schemas/evidence/evidence-kinds.ts";
import type { EvidenceSourceDefinition } from "../schemas/evidence/source.ts";

export type SourceSettings = Readonly<Partial<Record<SourceUrlSetting | SourceCredentialSetting, string | undefined>>>;

/** The definitions; the credential is the name of its setting. */
export function environmentSources(settings: SourceSettings): EvidenceSourceDefinition[] {
  return EVIDENCE_KIND_NAMES.flatMap((kind) => {
    const { urlSetting, credentialSetting } = EVIDENCE_KINDS[kind];
    const url = settings[urlSetting];
    if (url === undefined) return [];
    const credential = settings[credentialSetting] === undefined ? null : credentialSetting;
    return [{ name: kind, kind, url, credential, headers: {}, labels: {}, domains: [], open_url: null }];
  });
}
