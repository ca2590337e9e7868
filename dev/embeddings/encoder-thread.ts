// Thread entry: one encoder, one batch at a time. Sends "ready" once, then a message for each batch.

import { parentPort } from "node:worker_threads";
import { z } from "zod";
import { createEncoder } from "./encoder.ts";

const batchSchema = z.array(z.string());

if (!parentPort) throw new Error("encoder-thread.ts runs as a worker thread only.");
const port = parentPort;
const encoder = await createEncoder();
port.on("message", async (message: unknown) => {
  try {
    port.postMessage({ type: "embedded", ...(await encoder(batchSchema.parse(message))) });
  } catch (error) {
    port.postMessage({ type: "failed", message: error instanceof Error ? error.message : String(error) });
  }
});
port.postMessage({ type: "ready" });
