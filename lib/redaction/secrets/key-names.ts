// Names of secret values: `DB_PASSWORD=`, `client_secret:`, "x-api-key". Used by the rules that redact such values and by
// the segmenter, which must not separate a name from its value.

export interface KeyKind {
  /** Name in the marker: `[REDACTED_{name}]`. */
  readonly name: string;
  /** End of the key, as the source of a case-insensitive pattern; any text may precede it. */
  readonly ending: string;
  /**
   * What counts as a value: `any` but a placeholder, a `secret` with a digit or symbol, a `random` run, a shorter one in a
   * `parameter` of a URL, a `code` of a few digits, or `any` that is no name of an object.
   */
  readonly value: "password" | "verdict" | "any" | "secret" | "random" | "parameter" | "code" | "unnamed";
}

const OWNERS =
  "db|user|root|bind|admin|store|key|trust|smtp|mail|ldap|mysql|pg|my|ftp|http|basic|proxy|wifi|wpa|src|dst|dest|login|app|svc|service|redis|mongo|rabbit|master|slave|repl(?:ica(?:tion)?)?|super|ssl|cert|pfx|p12|jks|require|sudo|become|vnc|rcon|postgres|oracle|mssql|sa|ssh|rds|imap|pop|jdbc|sasl|cluster|my";

/** Names whose "secret" is the name of an object, and "tokens" and "keys" of data structures. */
const OBJECT_NAMES =
  "image|pull|existing|tls|cert|kube(?:rnetes)?|k8s|source|target|missing|mounted|named|ref|opaque|generic|certificate|store|the";
const DATA_TOKENS = "next|page|continue|unexpected|sync|last|previous";
const DATA_KEYS =
  "public|pub|primary|foreign|partition|row|sort|hash|range|cache|route|object|s3|message|msg|record|group|shard|index|idx|lookup|dedup(?:lication)?|idempotency|translation|i18n|label|annotation|map|dict|config|redis|lock|registry|host|kms|bucket|file|state|metric|context|natural|unique|composite|tenant|sequence|query|param(?:eter)?|event|trace|data|json|field|header|column|item|entity|topic|queue|job|task|slot|correlation|feature|flag|name|path|user|order|customer|cluster|node|segment|block";

/** Words before "key" in a sentence that make it a secret. */
const KEY_OWNERS =
  "admin|aes|app(?:lication)?|auth|bot|client|cookie|deploy|encryption|hmac|host|ingest|integration|jwt|licen[cs]e|master|openai|pre-shared|private|recovery|root|sdk|secret(?:box)?|service|session|shared|signing|storage|subscription|symmetric|unseal|wifi|wpa|write";

// First match wins. Only endings count: `token_count`, `secretName` and `password_file` do not hold a secret.
export const KEY_KINDS: readonly KeyKind[] = [
  {
    name: "AWS_SECRET_KEY",
    ending: "(?:secret_?access_?key|aws_?secret(?:_?key)?)",
    value: "any",
  },
  // "PASS: 12" counts tests.
  { name: "PASSWORD", ending: "(?<![a-z0-9_]|--)pass", value: "verdict" },
  {
    name: "PASSWORD",
    ending: `(?:password|passwd|pass[_-]?phrase|passcode|passwort|kennwort|contrase(?:ñ|n|\\\\u00f1)a|mot[ _]?de[ _]?passe|has(?:ł|l)o|heslo|parola|(?:ş|s)ifre(?:si)?|lösenord|losenord|passord|adgangskode|kodeord|salasana|jelszó|jelszo|lozinka|пароль|密码|密碼|パスワード|비밀번호|wachtwoord|senha|(?<![a-z])(?:${OWNERS})[_-]?(?:pass|pwd|pw|pin)|(?<![a-z])(?:pwd|pass|pw|psk|passw)|wpa[_-]?psk)`,
    value: "password",
  },
  {
    name: "PASSWORD_HASH",
    ending:
      "(?:password|passwd|pwd|pass|passphrase)[_-]?(?:hash(?:ed)?|digest|md5|sha\\d{1,3}|encrypted|enc|crypt|bcrypt|scrypt|verifier)(?:[_-]?(?:hex|hash|b64|base64))?",
    value: "random",
  },
  {
    name: "API_KEY",
    ending:
      "(?:api[ _-]?key|access[ _-]?key(?:[ _-]?id)?|auth[_-]?key|app(?:lication)?[_-]?key|(?<![a-z0-9_-])sk|(?:subscription|functions|licen[cs]e|integration|ingest(?:ion)?|write|server|service|instrumentation|webhook|rest|client|admin)[_-]?key)",
    value: "any",
  },
  {
    name: "SECRET_KEY",
    ending:
      "(?:secret[_-]?key(?:[_-]?base)?|(?:private|signing|encryption|master|shared[_-]?access|account|jwt|aes|hmac|crypt(?:o)?|cookie|deploy|root|unseal|recovery)[_-]?key(?:[_-]?id)?|private-mac|unseal key \\d|key[_-]?data|key[_-]?material|tls\\.key|\\.dockerconfigjson|\\.dockercfg|ssh-privatekey|id_(?:rsa|dsa|ecdsa|ed25519)|[\\w-]{1,40}\\.(?:key|pem|p12|pfx|jks|keytab))",
    value: "any",
  },
  {
    name: "SECRET",
    ending: `(?:(?<![a-z0-9]|[a-z0-9][_.-])|(?<![a-z])(?:${OBJECT_NAMES})[_.-]?)secret`,
    value: "unnamed",
  },
  {
    name: "SECRET",
    ending: `(?:(?<!(?<![a-z])(?:${OBJECT_NAMES})[_.-]?)(?<=[a-z0-9][_.-]?)secret|secret[ _-]?(?:id|string|value|text))`,
    value: "any",
  },
  {
    name: "TOKEN",
    ending: `(?:(?<![a-z0-9]|[a-z0-9][_.-])|(?<![a-z])(?:${DATA_TOKENS})[_.-]?)token`,
    value: "unnamed",
  },
  {
    name: "TOKEN",
    ending: `(?:(?<!(?<![a-z])(?:${DATA_TOKENS})[_.-]?)(?<=[a-z0-9][_.-]?)(?<!public[_-]?key)token|(?<![a-z])jwt|session[_-]?state|erlang[._]?cookie)`,
    value: "any",
  },
  {
    name: "CODE",
    ending: "(?:(?<![a-z])t?otp|(?:mfa|otp|2fa|verification|security|login|one-time)[ _-]?code)",
    value: "code",
  },
  { name: "VALUE", ending: "(?<![a-z])new value", value: "random" },
  {
    name: "AUTH",
    ending: "(?:(?<=[_-])auth|(?<![a-z])hmac|masterauth|requirepass|_authtoken|x-auth)",
    value: "secret",
  },
  { name: "SALT", ending: "(?:(?<=[_-])(?:salt|pepper)|(?<![a-z])salt)", value: "secret" },
  {
    name: "CREDENTIALS",
    ending: "(?:credentials?|(?<![a-z])creds?|(?<=[_-])(?:creds?|dsn)|userinfo|basicauth)",
    value: "secret",
  },
  {
    name: "SIGNATURE",
    ending:
      "(?:(?:x-amz-|x-goog-)?signature|x-amz-security-token|[?&;~](?:sig|hmac|code|auth|st|hdnea|hdnts|policy|key))",
    value: "parameter",
  },
  {
    name: "SESSION",
    ending:
      "(?:jsessionid|phpsessid|aspsessionid[a-z]*|asp\\.net_sessionid|connect\\.sid|sessionid|\\.?aspx(?:anonymous|auth)|\\.aspnetcore\\.[\\w.]{1,40}|(?<=[a-z0-9][_.-])session|remember_(?:me|token|web\\w{0,60})|wordpress_logged_in\\w{0,60}|__(?:host|secure)-[\\w.-]{1,40}|(?<![a-z])sid)",
    value: "random",
  },
  {
    name: "KEY",
    ending: `(?:(?<!(?<![a-z])(?:${DATA_KEYS})[_-]?)(?<=[a-z0-9][_-]?)|(?<![a-z])(?:${KEY_OWNERS}) )key`,
    value: "random",
  },
];

export const ANY_KEY_ENDING = `(?:${[...new Set(KEY_KINDS.map(({ ending }) => ending))].join("|")})`;

/** Words that names of secrets contain. */
const STRONG_WORDS =
  "passw passp passc passe pwd secret token cred dsn kennwort contrase wachtwoord senha sessid sessionid key_data id_rsa id_dsa id_ecdsa id_ed25519 .pem .aspx aspnetcore private-mac hasło haslo heslo parola şifre sifre lösenord losenord passord adgangskode kodeord salasana jelszó jelszo lozinka пароль 密码 密碼 パスワード 비밀번호 암호 pass, pwd, .p12 .pfx .jks remember_ logged_in dockerc __host __secure privatekey";
/** Words that mean a secret only as the end of a name. */
const WEAK_WORDS =
  "pass pw psk pin otp key auth salt pepper signature jwt session sid totp userinfo erlang.cookie erlang_cookie hmac session_state session-state sessionstate key_id key-id keyid requirepass masterauth";
const PARAMETERS =
  ",sk= &sk= ?sk= \"sk\" 'sk' ?sig= &sig= ;sig= value: verification_code mfa_code otp_code ?code= &code= ?st= &st= ?hmac= &hmac= ~hmac= hdn ?policy= &policy= ?sig% &sig%";
const AFTER_NAME = ["=", ":", '"', "'", "`", "\\", "]", "%", ">", " ", "_", "-"];

/** Every key of the table contains one of these; lower case. */
export const KEY_WORDS: readonly string[] = [
  ...STRONG_WORDS.split(" "),
  ...WEAK_WORDS.split(" ").flatMap((word) => AFTER_NAME.map((sign) => word + sign)),
  ...PARAMETERS.split(" "),
];

/** A backslash that continues the line, and the blanks after it. */
export const CONTINUED = "(?:\\\\\\r?\\n[ \\t]{0,64})?";

/** A pattern of words that matches in both cases without the flag `i`. */
export function inAnyCase(words: string): string {
  return words.replace(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);
}

/**
 * Between name and value: `: `, `=`, ` = `, `=>`, `":`, `"]=`, `%3D`, `("name", `, `{name, "`, ` | `, ` <<< `; up to 64
 * spaces, as in aligned tables.
 */
export const SEPARATOR = `(?:(?<=[\\w\\u00c0-\\u04ff%])\\\\{0,3}["'\`]?\\]?[ \\t]{0,64}(?:=>|:=|={1,3}|:[ \\t]?&?${inAnyCase("str(?:ing)?")}[ \\t]?=|:|<<<|%3[daDA]|%22%3[aA])[ \\t]{0,64}${CONTINUED}|(?<=\\{[ \\t]?[A-Za-z_]{2,40}),[ \\t]{0,4}(?:<<)?(?=")|(?<=(?:\\([ \\t]{0,4}|^)["'][\\w.-]{1,64})["'][ \\t]?,[ \\t]{0,64}(?=["'])|(?<=\\w)[ \\t]{1,64}\\|[ \\t]{1,64})`;
