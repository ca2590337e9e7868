// The kinds of text that Dejavu stores: runbooks and other documents.

/** Documents about events, which count for less with age; runbooks do not. */
export const DOCUMENT_TYPES = ["note", "log", "postmortem"] as const;

export type DocumentType = (typeof DOCUMENT_TYPES)[number];

export const TEXT_KINDS = ["runbook", ...DOCUMENT_TYPES] as const;

export type TextKind = (typeof TEXT_KINDS)[number];

/** Kinds of records that an answer may cite. Only the recap of a session cites past answers. */
export const CITED_KINDS = [...TEXT_KINDS, "incident", "past_answer", "check"] as const;

/** Whether an answer is the recap of its session. */
export function isSessionRecap({ sources }: { readonly sources: readonly { readonly kind: string }[] }): boolean {
  return sources.length > 0 && sources.every(({ kind }) => kind === "past_answer");
}
