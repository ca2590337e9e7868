// A TCP connection to a PostgreSQL server as its two platforms provide it.

import type { Buffer } from "node:buffer";
import { DependencyError } from "../../../dependencies.ts";

export interface TransportOptions {
  readonly host: string;
  readonly port: number;
  /** With TLS and a verified certificate, as the protocol negotiates it. */
  readonly encrypted: boolean;
  /** Closes the connection, in every state. */
  readonly signal: AbortSignal;
}

export interface TransportEvents {
  data(bytes: Buffer): void;
  error(error: unknown): void;
  /** Once, after everything else. */
  close(): void;
}

export interface SqlTransport {
  readonly isOpen: boolean;
  write(bytes: Buffer): void;
  /** Sends the bytes and then closes. */
  end(bytes: Buffer): void;
  destroy(): void;
}

/** @throws DependencyError */
export type OpenTransport = (options: TransportOptions, events: TransportEvents) => Promise<SqlTransport>;

/** SSLRequest of the protocol: its length and its code. The server answers with one byte. */
export const SSL_REQUEST: Uint8Array = Uint8Array.of(0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f);
const ACCEPTED = "S".charCodeAt(0);

/** Checks the reply to SSL_REQUEST. More than one byte came from somebody who speaks before the encryption. @throws DependencyError */
export function checkTlsReply(reply: Uint8Array | undefined): void {
  if (reply?.length !== 1) {
    throw new DependencyError("evidence_source", "invalid_response", "the reply to the request for TLS is invalid");
  }
  if (reply[0] !== ACCEPTED) {
    const detail = "the server offers no TLS: enable it, or add ?sslmode=disable to the URL in a private network";
    throw new DependencyError("evidence_source", "refused", detail);
  }
}

export function tlsFailure(cause: unknown): DependencyError {
  const detail = "TLS failed: the server needs a certificate for this host name from a public authority";
  return new DependencyError("evidence_source", "refused", detail, { cause });
}

export function unreachable(detail: string, cause?: unknown): DependencyError {
  return new DependencyError("evidence_source", "unreachable", detail, { cause });
}
