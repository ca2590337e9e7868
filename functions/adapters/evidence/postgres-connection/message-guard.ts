// Guard of what a PostgreSQL server sends: whole messages of the kinds that a query needs, and not too many bytes.
//
// postgres.js trusts its server. A broken or hostile one could fill the log and the memory, or cause errors that nobody catches.

import { Buffer } from "node:buffer";

/** Types of messages, by their first byte. Messages of COPY and of function calls are not among them. */
const TYPES: ReadonlySet<number> = new Set([..."RKSZCDTtE123nNsIA"].map((type) => type.charCodeAt(0)));
const AUTHENTICATION = "R".charCodeAt(0);
const ROW_DESCRIPTION = "T".charCodeAt(0);

const HEADER_BYTES = 5;
/** Of the length, which counts itself. */
const LENGTH_BYTES = 4;
/** Lengths are signed. */
const MAX_LENGTH = 0x7fff_ffff;
/** Of each column in a row description, after its name: table, number, type, size, modifier, format. */
const COLUMN_BYTES = 18;

const MAX_AUTHENTICATION_BYTES = 4_096;
const MAX_AUTHENTICATIONS = 8;
/** The most that the Web Crypto API of Workers computes; the server's default is 4,096. */
const MAX_ITERATIONS = 100_000;

/** Takes the bytes in order and returns whether all of them are acceptable; `too_many` and `invalid` are final. */
export type MessageGuard = (bytes: Buffer) => "ok" | "too_many" | "invalid";

/** @param maxBytes of all messages together */
export function createMessageGuard(maxBytes: number): MessageGuard {
  let received = 0;
  let header: number[] = [];
  let remaining = 0;
  /** The body of a message that is checked as a whole; null within other messages. */
  let checked: { readonly isAcceptable: (body: Buffer) => boolean; readonly parts: Buffer[] } | null = null;
  let logins = 0;

  const begin = (): "ok" | "too_many" | "invalid" => {
    const [type = 0, ...lengthBytes] = header;
    const length = lengthBytes.reduce((sum, byte) => sum * 256 + byte, 0);
    header = [];
    remaining = length - LENGTH_BYTES;
    if (remaining < 0 || length > MAX_LENGTH) return "invalid";
    if (length > maxBytes) return "too_many";
    if (type === ROW_DESCRIPTION) checked = { isAcceptable: isRowDescription, parts: [] };
    if (type !== AUTHENTICATION) return "ok";
    logins += 1;
    checked = { isAcceptable: isAcceptableLogin, parts: [] };
    return length > MAX_AUTHENTICATION_BYTES || logins > MAX_AUTHENTICATIONS ? "invalid" : "ok";
  };

  return (bytes) => {
    received += bytes.length;
    if (received > maxBytes) return "too_many";
    for (let at = 0; at < bytes.length; ) {
      if (remaining > 0) {
        const part = bytes.subarray(at, at + remaining);
        checked?.parts.push(part);
        remaining -= part.length;
        at += part.length;
      } else {
        const byte = bytes[at] ?? 0;
        if (header.length === 0 && !TYPES.has(byte)) return "invalid";
        header.push(byte);
        at += 1;
        if (header.length < HEADER_BYTES) continue;
        const verdict = begin();
        if (verdict !== "ok") return verdict;
      }
      if (remaining === 0 && checked !== null) {
        if (!checked.isAcceptable(Buffer.concat(checked.parts))) return "invalid";
        checked = null;
      }
    }
    return "ok";
  };
}

/** A number of columns, and for each a name that ends with a zero, and 18 bytes. postgres.js reads on where a zero is missing. */
function isRowDescription(body: Buffer): boolean {
  if (body.length < 2) return false;
  let at = 2;
  for (let left = body.readUInt16BE(0); left > 0; left--) {
    const end = body.indexOf(0, at);
    if (end < 0) return false;
    at = end + 1 + COLUMN_BYTES;
  }
  return at === body.length;
}

/** A request for a password or for a step of SCRAM with values that can be computed, or the end of the login. */
function isAcceptableLogin(body: Buffer): boolean {
  if (body.length < 4) return false;
  const rest = body.toString("latin1", 4);
  switch (body.readUInt32BE(0)) {
    case 0: // OK
    case 3: // password
      return rest === "";
    case 5: // MD5 with a salt
      return rest.length === 4;
    case 10: // names of mechanisms
      return rest.includes("SCRAM-SHA-256");
    case 11: {
      const iterations = /^r=[^,]{1,200},s=[A-Za-z0-9+/=]{1,200},i=(\d{1,6})$/.exec(rest)?.[1];
      return iterations !== undefined && Number(iterations) >= 1 && Number(iterations) <= MAX_ITERATIONS;
    }
    case 12: // signature of the server
      return rest.startsWith("v=");
    default:
      return false;
  }
}
