// SNS as the sender of alerts: verification of its signatures, and confirmation of subscriptions. The signature is over
// the text of a message, with the key of a certificate that SNS serves itself: TLS vouches for its server.

import { Buffer } from "node:buffer";
import { setBounded } from "../bounded-map.ts";
import { callDependency, DependencyError } from "../dependencies.ts";
import type { StartTimer } from "../timers.ts";
import { failureOf, readStart } from "./http/http-response.ts";
import { isCertificateUrl, isTopicServiceUrl, type TopicService } from "./topic-service.ts";

export interface SnsOptions {
  readonly timeoutMs: number;
  readonly startTimer: StartTimer;
  /** Follows no redirect. */
  readonly fetch: typeof fetch;
}

const HASHES = { "1": "SHA-1", "2": "SHA-256" } as const;
/** A certificate has 2 KB. */
const MAX_RESPONSE_BYTES = 16_384;
/** Each region has one, and changes it about once a year. */
const MAX_CERTIFICATES = 50;

export function createSns({ timeoutMs, startTimer, fetch: send }: SnsOptions): TopicService {
  const certificates = new Map<string, Uint8Array<ArrayBuffer>>();

  const get = (address: string): Promise<string> =>
    callDependency({ dependency: "alert_sender", timeoutMs, startTimer, retries: 1 }, async (signal) => {
      const response = await send(address, { signal });
      if (response.ok) return readStart(response, MAX_RESPONSE_BYTES);
      await response.body?.cancel();
      throw failureOf("alert_sender", response);
    });

  const keyAt = async (address: string): Promise<Uint8Array<ArrayBuffer>> => {
    const cached = certificates.get(address);
    if (cached !== undefined) return cached;
    const key = publicKeyOf(await get(address));
    if (key === null) throw new DependencyError("alert_sender", "invalid_response", "the certificate cannot be read");
    setBounded(certificates, address, key, MAX_CERTIFICATES);
    return key;
  };

  return {
    async isSigned({ text, version, signature, certificate }) {
      if (!isCertificateUrl(certificate)) return false;
      const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: HASHES[version] };
      const key = await crypto.subtle.importKey("spki", await keyAt(certificate), algorithm, false, ["verify"]);
      return crypto.subtle.verify(algorithm, key, Buffer.from(signature, "base64"), new TextEncoder().encode(text));
    },
    async confirm(address) {
      if (!isTopicServiceUrl(address))
        throw new DependencyError("alert_sender", "refused", "the address is no server of SNS");
      await get(address);
    },
  };
}

const SEQUENCE = 0x30;
/** Tag of the version, which certificates of version 1 lack. */
const VERSION = 0xa0;
/** Fields before the public key: serial number, algorithm, issuer, validity, subject. */
const FIELDS_BEFORE_KEY = 5;

/** The SubjectPublicKeyInfo of a certificate in PEM; null for another text. Nothing else of the certificate is checked. */
function publicKeyOf(pem: string): Uint8Array<ArrayBuffer> | null {
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
