// Whether base64 is a private key: PEM armour, OpenSSH's format, or DER of PKCS #1, PKCS #8, SEC 1 or PKCS #12.

/** Characters; enough for the armour's first line and for the head of a DER structure. */
const DECODED_LENGTH = 96;
/** The DER object identifier of PBES2 (RFC 8018), which encrypted PKCS #8 keys begin with. */
const PBES2 = "\x2a\x86\x48\x86\xf7\x0d\x01\x05\x0d";

/** @param run base64 without line breaks; only its beginning is read */
export function isPrivateKeyBase64(run: string): boolean {
  const head = run.slice(0, DECODED_LENGTH).replace(/={1,2}$/, "");
  const bytes = atob(head.slice(0, head.length - (head.length % 4)));
  if (bytes.startsWith("-----BEGIN")) return bytes.includes("PRIVATE KEY");
  return bytes.startsWith("openssh-key-v1") || isPrivateKeyDer(bytes);
}

/** A private key is a SEQUENCE that begins with a version; certificates and public keys begin with another SEQUENCE. */
function isPrivateKeyDer(bytes: string): boolean {
  if (bytes.charCodeAt(0) !== 0x30) return false;
  const size = bytes.charCodeAt(1);
  const start = size < 0x80 ? 2 : 2 + (size & 0x7f);
  const hasVersion = bytes.slice(start, start + 2) === "\x02\x01" && bytes.charCodeAt(start + 2) <= 3;
  return hasVersion ? "\x02\x30\x04".includes(bytes[start + 3] ?? "?") : bytes.slice(start, start + 24).includes(PBES2);
}
