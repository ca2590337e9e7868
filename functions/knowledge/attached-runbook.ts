// Names of the runbook that a reporter attached, by the last parts of its address. The start of a run finds it by them.

/** More path segments than a real address has. */
const MAX_PARTS = 6;

/**
 * The names that a URL or path may stand for, longest first, in lower case and without extension:
 * "https://wiki.example/runbooks/orders/Locks.md#fix" → "runbooks/orders/locks", "orders/locks", "locks".
 */
export function runbookNames(attached: string): string[] {
  const path =
    attached
      .trim()
      .replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "")
      .split(/[?#]/, 1)[0] ?? "";
  const parts = decode(path)
    .toLowerCase()
    .split("/")
    .filter((part) => part !== "")
    .slice(-MAX_PARTS);
  return parts.map((_, i) =>
    parts
      .slice(i)
      .join("/")
      .replace(/\.(?:md|markdown|html?)$/, ""),
  );
}

/** Decodes a path; an invalid encoding is used as it is. */
function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
