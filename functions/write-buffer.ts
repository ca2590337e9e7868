// Writes that wait in the platform's queue while the database is unavailable: the port, and the rule for when to use it.

import { z } from "zod";
import { setBounded } from "./bounded-map.ts";
import { type DependencyError, settle } from "./dependencies.ts";
import type { Log } from "./telemetry/log.ts";

/**
 * - `triage`: a finished triage and its memory updates, for `finish_run`
 * - `report`: an incident to investigate later, for `enqueue_incident`
 * - `alerts`: the alerts of a webhook, or a part of them, for `store_buffered_alerts`
 * - `changes`: reported changes of services, for `record_changes`
 * - `feedback`: a rating or comment, for `store_buffered_feedback`
 * - `resolution`: the fix of an incident; it is applied to the incident as it is then
 */
const BUFFERED_KINDS = ["triage", "report", "alerts", "changes", "feedback", "resolution"] as const;

/** JSON arguments of a SQL function. Texts in it are scrubbed: the queue holds no secrets. */
const argumentsSchema = z.record(z.string(), z.json());

export const bufferedWriteSchema = z.object({
  kind: z.enum(BUFFERED_KINDS),
  /** When the caller was answered. Writes of one delivery are stored in this order. */
  at: z.iso.datetime(),
  /** The incident, or the triage for feedback; null for alerts and changes. */
  subject: z.uuid().nullable(),
  args: argumentsSchema,
  /** The domains that the caller is restricted to, also when the write is stored; null for all. */
  domains: z.array(z.string()).nullable(),
});
export type BufferedWrite = z.infer<typeof bufferedWriteSchema>;

/** The reply to a request whose write waits. A repeated request with the same Idempotency-Key gets it again. */
export interface PendingReply {
  readonly requestHash: string;
  readonly reply: unknown;
}

export interface WriteBuffer {
  /** Whether the queue has accepted the write. Never throws. */
  send(write: BufferedWrite): Promise<boolean>;
}

/** The buffer of callers that are restricted to domains: waiting must not widen what they may write. */
export function restrictWriteBuffer(writeBuffer: WriteBuffer, domains: readonly string[]): WriteBuffer {
  return { send: (write) => writeBuffer.send({ ...write, domains: [...domains] }) };
}

/** Replies of this isolate by Idempotency-Key. Another isolate knows them only when the write is stored. */
export interface PendingReplies {
  get(key: string): PendingReply | undefined;
  set(key: string, reply: PendingReply): void;
  delete(key: string): void;
}

/** Dependencies of the use cases that answer callers without the database. */
export interface BufferServices {
  readonly writeBuffer: WriteBuffer;
  readonly pendingReplies: PendingReplies;
  readonly log: Log;
  readonly now: () => Date;
}

/** A queue message has at most 128 kB. The platform takes about 100 bytes, the names of 20 domains at most 1,400. */
export const MAX_WRITE_BYTES = 126_000;

/** Bytes of a value as JSON. */
export function jsonBytes(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

/** @param args the arguments of the SQL function, as plain data */
export function bufferedWrite(
  kind: BufferedWrite["kind"],
  { at, subject, args }: { readonly at: Date; readonly subject: string | null; readonly args: unknown },
): BufferedWrite {
  // Parsed from its text: what cannot be sent, such as undefined, is not in it.
  const plainArgs = argumentsSchema.parse(JSON.parse(JSON.stringify(args)));
  return { kind, at: at.toISOString(), subject, args: plainArgs, domains: null };
}

/** Whether the database is unavailable, so that the same write may succeed later. */
export function isUnavailable({ dependency, failure }: DependencyError): boolean {
  return dependency === "database" && (failure === "unreachable" || failure === "timeout");
}

/** What is stored now, or waits in the queue while the database is unavailable. */
export interface BufferableWrite<Outcome> {
  readonly store: () => Promise<Outcome>;
  /** Store the same later. They must be idempotent: after a timeout it may be stored already. */
  readonly writes: () => readonly BufferedWrite[];
  /** The outcome while it waits. */
  readonly pending: () => Outcome;
}

/** @throws DependencyError of the database when not all writes could be buffered; the caller must repeat the request */
export async function storeOrBuffer<Outcome>(
  services: BufferServices,
  { store, writes, pending }: BufferableWrite<Outcome>,
): Promise<Outcome> {
  const stored = await settle(store());
  if (stored.ok) return stored.value;
  if (await buffer(services, stored.error, writes)) return pending();
  throw stored.error;
}

/** Whether the failure is an unavailable database and the queue has all writes now. */
export async function buffer(
  { writeBuffer, log }: BufferServices,
  error: DependencyError,
  writesOf: () => readonly BufferedWrite[],
): Promise<boolean> {
  if (!isUnavailable(error)) return false;
  const writes = writesOf().map((write) => ({ write, bytes: jsonBytes(write) }));
  const tooLarge = writes.find(({ bytes }) => bytes > MAX_WRITE_BYTES);
  if (tooLarge !== undefined) {
    log("warn", "write_buffer.too_large", { write: tooLarge.write.kind, bytes: tooLarge.bytes });
    return false;
  }
  for (const { write, bytes } of writes) {
    if (!(await writeBuffer.send(write))) return false;
    log("warn", "write_buffer.pending", { write: write.kind, bytes, error: error.message });
  }
  return true;
}

/** Replies that an isolate keeps, and for how long. */
const MAX_REPLIES = 200;
const MAX_REPLY_AGE_MS = 600_000;

export function createPendingReplies(now: () => Date): PendingReplies {
  const replies = new Map<string, PendingReply & { readonly at: number }>();
  return {
    get(key) {
      const entry = replies.get(key);
      return entry !== undefined && now().getTime() - entry.at <= MAX_REPLY_AGE_MS ? entry : undefined;
    },
    set: (key, reply) => setBounded(replies, key, { ...reply, at: now().getTime() }, MAX_REPLIES),
    delete: (key) => void replies.delete(key),
  };
}
