// Texts that are being written, kept in the browser's tab until they are stored: nothing is lost by leaving the page.

export interface Draft {
  readonly markdown: string;
  /** Of the stored text that it began with; null for a new runbook. */
  readonly etag: string | null;
}

const PREFIX = "dejavu.draft.";
/** Written by other views: a draft of a new runbook, `{domain, source, markdown}`. */
const NEW_DRAFT = "dejavu.draft";

export function readDraft(key: string): Draft | null {
  const value = read(PREFIX + key);
  if (typeof value !== "object" || value === null || !("markdown" in value) || typeof value.markdown !== "string")
    return null;
  const etag = "etag" in value && typeof value.etag === "string" ? value.etag : null;
  return { markdown: value.markdown, etag };
}

export function keepDraft(key: string, draft: Draft | null): void {
  if (draft === null) sessionStorage.removeItem(PREFIX + key);
  else sessionStorage.setItem(PREFIX + key, JSON.stringify(draft));
}

export interface OfferedDraft {
  readonly domain: string;
  readonly source: string;
  readonly markdown: string;
}

/** The draft that another view wrote; it is handed over once. */
export function takeOfferedDraft(): OfferedDraft | null {
  const value = read(NEW_DRAFT);
  sessionStorage.removeItem(NEW_DRAFT);
  if (typeof value !== "object" || value === null) return null;
  const fields = new Map(Object.entries(value));
  const textOf = (name: string) => {
    const text = fields.get(name);
    return typeof text === "string" ? text : "";
  };
  const markdown = textOf("markdown");
  return markdown === "" ? null : { domain: textOf("domain"), source: textOf("source"), markdown };
}

function read(key: string): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "null");
  } catch {
    return null;
  }
}
