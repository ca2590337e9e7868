// Reads the public key of an X.509 certificate, RFC 5280, section 4.1. Pure functions.

import { Buffer } from "node:buffer";

const SEQUENCE = 0x30;
/** Tag of the version, which certificates of version 1 lack. */
const VERSION = 0xa0;
/** Fields before the public key: serial number, algorithm, issuer, validity, subject. */
const FIELDS_BEFORE_KEY = 5;

/** The SubjectPublicKeyInfo of a certificate in PEM; null for another text. Nothing else of the certificate is checked. */
export function publicKeyOf(pem: string): Uint8Array<ArrayBuffer> | null {
  const [, base64] = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]{1,16000})-----END CERTIFICATE-----/.exec(pem) ?? [];
  if (base64 === undefined) return null;
  const der = new Uint8Array(Buffer.from(base64, "base64"));
  const certificate = elementAt(der, 0);
  const signed = certificate && elementAt(der, certificate.start);
  if (certificate?.tag !== SEQUENCE || signed?.tag !== SEQUENCE) return null;
  let field = elementAt(der, signed.start);
  if (field?.tag === VERSION) field = elementAt(der, field.end);
  for (let skipped = 0; skipped < FIELDS_BEFORE_KEY && field !== null; skipped++) field = elementAt(der, field.end);
  return field?.tag === SEQUENCE && field.end <= signed.end ? der.slice(field.at, field.end) : null;
}

interface Element {
  readonly tag: number;
  /** Where it begins, where its content does, and where it ends. */
  readonly at: number;
  readonly start: number;
  readonly end: number;
}

/** The element of DER at an index; null if it does not fit. */
function elementAt(der: Uint8Array, at: number): Element | null {
  const [tag, first] = der.subarray(at, at + 2);
  if (tag === undefined || first === undefined) return null;
  const lengthBytes = first < 0x80 ? 0 : first - 0x80;
  if (lengthBytes > 3) return null;
  const start = at + 2 + lengthBytes;
  let length = lengthBytes === 0 ? first : 0;
  for (const byte of der.subarray(at + 2, start)) length = length * 256 + byte;
  return start + length <= der.length ? { tag, at, start, end: start + length } : null;
}
