// Worker thread of the encoder pool. Sends "ready" once, then one reply for each batch. The pool sends a batch only to an
// idle thread, because an encoder cannot embed two batches at once.

import { parentPort } from "node:worker_threads";
import { z } from "zod";
import { createEncoder } from "./encoder.ts";

const batchSchema = z.array(z.string());

if (!parentPort) throw new Error("encoder-thread.ts runs as a worker thread only.");
const port = parentPort;
const embed = await createEncoder();
port.on("message", async (message: unknown) => {
  try {
    port.postMessage({ type: "embedded", ...(await embed(batchSchema.parse(message))) });
  } catch (error) {
    port.postMessage({ type: "failed", message: error instanceof Error ? error.message : String(error) });
  }
});
port.postMessage({ type: "ready" });
