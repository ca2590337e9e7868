// The kinds of text that Dejavu stores: runbooks and other documents.

/** Documents about events, which count for less with age; runbooks do not. */
export const DOCUMENT_TYPES = ["note", "log", "postmortem"] as const;

export type DocumentType = (typeof DOCUMENT_TYPES)[number];

export const SOURCE_KINDS = ["runbook", ...DOCUMENT_TYPES] as const;

export type SourceKind = (typeof SOURCE_KINDS)[number];
