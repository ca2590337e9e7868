// Owns which names announce a secret value: `DB_PASSWORD=`, `client_secret:`, "x-api-key". Shared by the rules that
// redact such values and by the segmenter, which must not part a name from its value.

export interface KeyKind {
  /** What the marker says. */
  readonly name: string;
  /** The end of the key, as the source of a case-insensitive pattern; what stands before it does not matter. */
  readonly ending: string;
}

// First match wins. Only endings: `token_count`, `secretName` and `password_file` name no secret.
export const KEY_KINDS: readonly KeyKind[] = [
  { name: "AWS_SECRET_KEY", ending: "(?:secret_?access_?key|aws_?secret_?key)" },
  { name: "PASSWORD", ending: "(?:password|passwd|passphrase|passwort|(?<![a-z])pwd|userpwd|(?<![a-z])pass|dbpass)" },
  { name: "API_KEY", ending: "(?:api[_-]?key|access[_-]?key|auth[_-]?key|app(?:lication)?[_-]key)" },
  {
    name: "SECRET_KEY",
    ending:
      "(?:secret[_-]?key(?:[_-]?base)?|(?:private|signing|encryption|master|shared[_-]?access|account|jwt)[_-]?key)",
  },
  { name: "SECRET", ending: "secret" },
  { name: "TOKEN", ending: "token" },
];

export const ANY_KEY_ENDING = `(?:${KEY_KINDS.map(({ ending }) => ending).join("|")})`;

/** A text without this holds no key of the table; any of its letters may be a capital. */
export const KEY_HINT = "pass|pwd|secret|token|key";

/** Between name and value: `: `, `=`, ` = `, `=>`, `":`, `"]=`, `%3D`; blanks as far as tables are aligned. */
export const SEPARATOR = `\\\\{0,3}["'\`]?\\]?[ \\t]{0,64}(?:=>|:=|={1,3}|:|%3d)[ \\t]{0,64}`;

/** Blanks that may lie between two parts of one secret; a wider gap parts them. */
export const MAX_GAP_LENGTH = 64;
