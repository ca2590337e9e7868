// The parts of Cloudflare Queues that consumers and producers use.

/** The members of Cloudflare's `Message` that the consumers use. */
export interface QueueMessage {
  readonly body: unknown;
  /** Number of deliveries, this one included. */
  readonly attempts: number;
  ack(): void;
  retry(options: { readonly delaySeconds: number }): void;
}

export interface QueueBatch {
  readonly queue: string;
  readonly messages: readonly QueueMessage[];
}

export interface Queue {
  send(body: unknown, options: { readonly delaySeconds: number }): Promise<void>;
  sendBatch(messages: readonly { readonly body: unknown }[]): Promise<void>;
}

export function isQueue(value: unknown): value is Queue {
  return typeof value === "object" && value !== null && "send" in value && "sendBatch" in value;
}
