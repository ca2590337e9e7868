// Owns what stands where a secret would and is none: references, masks, markers, words of an error message.

const REFERENCE = new RegExp(
  [
    "^\\[?REDACTED(?:\\b|_)", // a marker, ours or another tool's
    "^[\\[(<{]?(?:redacted|hidden|masked|filtered|sensitive|secret|omitted|removed)[\\])>}]?$",
    "^[*•xX.…#?_-]{1,64}$", // masks
    "^\\$(?:\\{[^}]*\\}?|\\(.*|[A-Za-z_]\\w*$|$)", // ${VAR}, $(command), $VAR
    "^\\{\\{", // {{ template }}
    "^%[(A-Za-z_{-]", // printf, %VAR%
    "^<[^>]*>?$", // <your password>
    "^[|>][+-]?\\d?$", // head of a YAML block
    "^(?:process\\.env|os\\.(?:environ|getenv)|env\\.|System\\.getenv|secrets?\\.|vault:|file:|valueFrom|secretKeyRef|ref\\+|arn:aws:)",
    "^/(?:var|run|etc|home|root|tmp|mnt|opt|usr|secrets?|app|data|vault|dev|proc|Users)(?:/|$)", // where it lies
    "^[&!~]", // YAML anchors, tags and null; shell operators
    "^[{}()\\[\\],:;=]+$", // structure
    "^\\[\\]|^\\{\\}",
  ].join("|"),
  "i",
);

// What follows "token:" or "password=" in messages and in code. Lower-case, whole value.
const WORDS = new Set(
  (
    "true false yes no on off null none nil undefined empty blank missing invalid expired incorrect wrong required optional " +
    "not is was are has must should could cannot unexpected denied failed failure error unset set changed rotated revoked " +
    "found unknown unauthorized forbidden mismatch malformed ok valid present absent exists the a an for from in and or of " +
    "string str bytes any number boolean int object file default authentication authorization bearer basic eof " +
    "unable unsupported rejected accepted provided given authenticated refresh refreshed redacted hidden masked " +
    "can may will does did could this that your my with without no. scram-sha-256 md5"
  ).split(" "),
);

const MARKER_INSIDE = /^\S{0,4}\[REDACTED_[A-Z_]+\]\S{0,4}$/;

/** Whether a value next to a secret's name says nothing about the secret. */
export function isPlaceholder(value: string): boolean {
  return REFERENCE.test(value) || MARKER_INSIDE.test(value) || WORDS.has(value.toLowerCase().replace(/[.,:;!)]+$/, ""));
}
