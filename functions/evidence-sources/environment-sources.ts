// Sources of evidence that the environment defines: at most one of each kind, named after it.

import { EVIDENCE_KINDS, type EvidenceKind, type EvidenceSourceDefinition } from "../schemas/evidence/source.ts";
import { SOURCE_KINDS, type SourceCredentialSetting, type SourceUrlSetting } from "../schemas/evidence/source-kinds.ts";

export type SourceSettings = Readonly<Partial<Record<SourceUrlSetting | SourceCredentialSetting, string | undefined>>>;

export const EVIDENCE_KIND_NAMES = Object.keys(EVIDENCE_KINDS).filter(
  (name): name is EvidenceKind => name in EVIDENCE_KINDS,
);

/** The definitions; the credential is the name of its setting. */
export function environmentSources(settings: SourceSettings): EvidenceSourceDefinition[] {
  return EVIDENCE_KIND_NAMES.flatMap((kind) => {
    const { urlSetting, credentialSetting } = SOURCE_KINDS[kind];
    const url = settings[urlSetting];
    if (url === undefined) return [];
    const credential = settings[credentialSetting] === undefined ? null : credentialSetting;
    return [{ name: kind, kind, url, credential, headers: {}, labels: {}, domains: [], open_url: null }];
  });
}
