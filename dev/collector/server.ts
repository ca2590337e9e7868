// Process entry: the trace collector on 127.0.0.1.

import { serve } from "@hono/node-server";
import { z } from "zod";
import { createCollectorApp } from "./app.ts";
import { createTraceStore } from "./trace-store.ts";

const { PORT, TRACES } = z.object({ PORT: z.coerce.number(), TRACES: z.string() }).parse(process.env);

serve({ fetch: createCollectorApp(createTraceStore(TRACES)).fetch, hostname: "127.0.0.1", port: PORT });
process.on("SIGTERM", () => process.exit(0));
