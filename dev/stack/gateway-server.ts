/** Process entry: the gateway on 127.0.0.1. */
import { z } from "zod";
import { createGateway } from "./services/gateway.ts";

const { PORT, POSTGREST_URL } = z.object({ PORT: z.coerce.number(), POSTGREST_URL: z.url() }).parse(process.env);

const { hostname, port } = new URL(POSTGREST_URL);
createGateway({ host: hostname, port }).listen(PORT, "127.0.0.1");

process.on("SIGTERM", () => process.exit(0));
