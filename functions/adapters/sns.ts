// SNS as the sender of alerts: verification of its signatures, and confirmation of subscriptions. The signature is over
// the text of a message, with the key of a certificate that SNS serves itself: TLS vouches for its server.

import { Buffer } from "node:buffer";
import { setBounded } from "../bounded-map.ts";
import { callDependency, DependencyError } from "../dependencies.ts";
import type { StartTimer } from "../timers.ts";
import { publicKeyOf } from "./http/certificate.ts";
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
