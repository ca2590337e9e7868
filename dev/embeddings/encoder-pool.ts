// Pool of encoders on threads: the HTTP loop stays responsive and indexing uses several cores. The first thread starts
// with the pool, the others when they are first needed.

import { Worker } from "node:worker_threads";
import { z } from "zod";
import type { EmbeddedBatch, Encoder } from "./encoder.ts";

const messageSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ready") }),
  z.object({ type: z.literal("embedded"), vectors: z.array(z.array(z.number())), tokens: z.array(z.number()) }),
  z.object({ type: z.literal("failed"), message: z.string() }),
]);

interface Thread {
  ready: Promise<void>;
  worker: Worker;
  pending: PromiseWithResolvers<EmbeddedBatch> | undefined;
}

export interface EncoderPool {
  /** @throws Error when `size` batches are running already */
  embed: Encoder;
  readonly size: number;
}

export async function createEncoderPool(size: number): Promise<EncoderPool> {
  const threads = new Set<Thread>();
  const first = startThread(threads);
  await first.ready;
  return {
    size,
    async embed(texts) {
      const idle = [...threads].find((thread) => !thread.pending);
      if (!idle && threads.size >= size) throw new Error(`All ${size} encoders are busy.`);
      const thread = idle ?? startThread(threads);
      const pending = Promise.withResolvers<EmbeddedBatch>();
      thread.pending = pending;
      await thread.ready;
      thread.worker.postMessage(texts);
      return pending.promise;
    },
  };
}

/** A thread that dies rejects its batch and leaves the pool. The next batch starts another thread. */
function startThread(threads: Set<Thread>): Thread {
  const worker = new Worker(new URL("./encoder-thread.ts", import.meta.url));
  const started = Promise.withResolvers<void>();
  const thread: Thread = { ready: started.promise, worker, pending: undefined };
  const die = (error: Error): void => {
    threads.delete(thread);
    started.reject(error);
    thread.pending?.reject(error);
  };
  worker.on("error", (error) => die(error instanceof Error ? error : new Error(String(error))));
  worker.on("exit", (code) => die(new Error(`An encoder thread ended with code ${code}.`)));
  worker.on("message", (value: unknown) => {
    const message = messageSchema.parse(value);
    const { pending } = thread;
    if (message.type === "ready") return started.resolve();
    thread.pending = undefined;
    if (message.type === "embedded") pending?.resolve(message);
    else pending?.reject(new Error(message.message));
  });
  // Without this, a failure that nobody waits for ends the process.
  started.promise.catch(() => {});
  threads.add(thread);
  return thread;
}
