// Values in place of a secret that are not secret: references, masks, markers, words of an error message.

const REFERENCE = new RegExp(
  [
    "^\\[?REDACTED(?:\\b|_)", // a marker of Dejavu or another tool
    "^[\\[(<{_*]{0,3}(?:redacted|hidden|masked|filtered|sensitive|secret|omitted|removed)[\\])>}_*]{0,3}$",
    "^[*•xX.…#?_-]{1,64}$", // masks
    "^\\$(?:\\{[^}]*\\}?|\\(.*|[A-Za-z_]\\w*(?:/\\S*)?$|$)", // ${VAR}, $(command), $VAR, $VAR/path
    "^\\{\\{", // {{ template }}
    "^%[(A-Za-z_{-][\\w.)}%-]{0,40}$", // printf, %VAR%
    "^<[^>]*>?$", // <your password>
    "^\\[-|^\\((?:known|sensitive|none|empty|not)\\b", // [-option], (known after apply)
    "^[\\[{(]?your[-_ ]?\\w*[-_ ](?:key|token|password|secret)\\w*[\\])}]?$", // YOUR_API_KEY
    "^[|>][+-]?\\d?$", // head of a YAML block
    "^(?:process\\.env|os\\.(?:environ|getenv)|env\\.|System\\.getenv|secrets?\\.|vault:|file:|valueFrom|secretKeyRef|ref\\+|arn:aws:)",
    "^/(?:var|run|etc|home|root|tmp|mnt|opt|usr|secrets?|app|data|vault|dev|proc|Users)(?:/|$)", // a path to the secret
    "^[&!~]", // YAML anchors, tags and null; shell operators
    "^[{}()\\[\\],:;=]+$", // structure
    "^\\[\\]|^\\{\\}",
  ].join("|"),
  "i",
);

// Words after "token:" or "password=" in messages and code. Lower case, whole value.
const WORDS = new Set(
  (
    "true false yes no on off null none nil undefined empty blank missing invalid expired incorrect wrong required optional " +
    "not is was are has must should could cannot unexpected denied failed failure error unset set changed rotated revoked " +
    "found unknown unauthorized forbidden mismatch malformed ok valid present absent exists the a an for from in and or of " +
    "string str bytes any number boolean int object file default authentication authorization bearer basic eof " +
    "unable unsupported rejected accepted provided given authenticated refresh refreshed redacted hidden masked " +
    "read write can may will does did could this that your my with without no. token pass passwd password secret key credentials sensitive prompt scram-sha-256 md5"
  ).split(" "),
);

const MARKER_INSIDE = /^\S{0,4}\[REDACTED_[A-Z_]+\]\S{0,4}$/;

/** Whether the value next to a secret's name is not the secret itself. */
export function isPlaceholderValue(value: string): boolean {
  return REFERENCE.test(value) || MARKER_INSIDE.test(value) || WORDS.has(trimEnd(value, ".,:;!)").toLowerCase());
}

/** The value without the signs at its end. */
export function trimEnd(value: string, signs: string): string {
  let end = value.length;
  while (end > 0 && signs.includes(value.charAt(end - 1))) end -= 1;
  return value.slice(0, end);
}
