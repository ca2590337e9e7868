// Names of secret values: `DB_PASSWORD=`, `client_secret:`, "x-api-key". Used by the rules that redact such values and by
// the segmenter, which must not separate a name from its value.

export interface KeyKind {
  /** Name in the marker: `[REDACTED_{name}]`. */
  readonly name: string;
  /** End of the key, as the source of a case-insensitive pattern; any text may precede it. */
  readonly ending: string;
}

// First match wins. Only endings count: `token_count`, `secretName` and `password_file` do not hold a secret.
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

/** Every key of the table contains one of these; matched case-insensitively. */
export const KEY_HINT = "pass|pwd|secret|token|key";

/** Between name and value: `: `, `=`, ` = `, `=>`, `":`, `"]=`, `%3D`; up to 64 spaces, as in aligned tables. */
export const SEPARATOR = `\\\\{0,3}["'\`]?\\]?[ \\t]{0,64}(?:=>|:=|={1,3}|:|%3d)[ \\t]{0,64}`;

/** Maximum number of spaces within one segment; a wider gap ends it. */
export const MAX_GAP_LENGTH = 64;
