// What a monitoring system's webhook consists of. Each system has one file here, and one line in index.ts.

import type { z } from "@hono/zod-openapi";
import type { TopicService } from "../../adapters/topic-service.ts";
import type { WebhookSecretSetting } from "../../config/settings.ts";
import type { AlertDelivery } from "../../schemas/alert.ts";
import type { TargetOf } from "./alert-target.ts";

export interface Webhook<Name extends string = string, Schema extends z.ZodType = z.ZodType> {
  /** The source of its alerts, and the last segment of its path: `/v1/alerts/<name>`. */
  readonly name: Name;
  /** The OpenAPI summary. */
  readonly summary: string;
  /** The OpenAPI description. */
  readonly description?: string;
  /** The body as the system sends it. Unknown fields are allowed: systems add fields from release to release. */
  readonly schema: Schema;
  readonly authentication: WebhookAuthentication;
  /** Whether the system sends its JSON as `text/plain`. */
  readonly isPlainText?: boolean;
  /** What the sender can do about a body that is too large. */
  readonly whenTooLarge: string;
  /**
   * Checks a valid body with the system that sent it, after the request was authenticated. Returns why the body is
   * refused, or null. @throws DependencyError when the system does not answer
   */
  verifyWithSender?(payload: z.output<Schema>, service: TopicService): Promise<string | null>;
  /** Maps a valid body to alerts. A method, so that webhooks with different payloads fit into one list. */
  toAlerts(payload: z.output<Schema>, context: DeliveryContext): AlertDelivery;
}

export interface DeliveryContext {
  readonly receivedAt: Date;
  /** Finds the affected object by an alert's labels. */
  readonly targetOf: TargetOf;
}

export type WebhookAuthentication =
  /** A bearer token with the scope `triage`; a signature as well where its secret is set. */
  | { readonly kind: "bearer"; readonly signature?: WebhookSignature }
  /** A signature in place of a token. Without its secret, requests are refused. */
  | { readonly kind: "signature"; readonly signature: WebhookSignature };

export interface WebhookSignature {
  /** The setting that holds the shared secret. */
  readonly secretSetting: WebhookSecretSetting;
  /** Whether the headers hold a valid signature of the raw body. */
  readonly verify: (body: Uint8Array, headers: Headers, context: SignatureContext) => boolean;
  /** What to change when a signature is refused. */
  readonly remedy: string;
}

export interface SignatureContext {
  readonly secret: string;
  readonly now: Date;
}
