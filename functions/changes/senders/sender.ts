// What a sender of changes consists of. Each format has one file here, and one line in index.ts.

import type { z } from "@hono/zod-openapi";
import type { WebhookSignature } from "../../incidents/webhooks/webhook.ts";
import type { CHANGE_KINDS } from "../../schemas/live-evidence.ts";

export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** A change as its sender reports it. Texts are neither bounded nor scrubbed yet. */
export interface ReportedChange {
  /** The sender's id of the event; null without one. */
  readonly eventId: string | null;
  /** The same for events of one change, such as begin and end of a deployment; null if each event is a change. */
  readonly subject: string | null;
  /** Null if the sender reports no usable time. */
  readonly at: Date | null;
  readonly kind: ChangeKind;
  readonly service: string;
  /** Other names of the service, such as that of its package. */
  readonly aliases: readonly string[];
  readonly environment: string | null;
  /** Null for one that is made of the other fields. */
  readonly title: string | null;
  readonly version: string | null;
  readonly by: string | null;
  readonly url: string | null;
  readonly labels: Readonly<Record<string, string>>;
  /** Null if the labels and names decide. */
  readonly domain: string | null;
}

/** An event that is no change of a service. */
export interface IgnoredEvent {
  readonly event: string;
  /** The reason, for people to read. */
  readonly rule: string;
}

export interface ChangeDelivery {
  readonly changes: readonly ReportedChange[];
  readonly ignored: readonly IgnoredEvent[];
}

export interface ChangeSender<
  Name extends string = string,
  Path extends string = string,
  Schema extends z.ZodType = z.ZodType,
> {
  /** The source of its changes. */
  readonly name: Name;
  readonly path: Path;
  /** The OpenAPI summary. */
  readonly summary: string;
  /** The OpenAPI description. */
  readonly description: string;
  readonly schema: Schema;
  /** In place of a token; null for a token. Without its secret, requests are refused. */
  readonly signature: WebhookSignature | null;
  /** What the sender can do about a body that is too large. */
  readonly whenTooLarge: string;
  /** Maps a valid body. A method, so that senders with different payloads fit into one list. */
  toChanges(payload: z.output<Schema>): ChangeDelivery;
}
