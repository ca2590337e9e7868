// The triage result in the API document: its schema under a name, with an example.

import { z } from "@hono/zod-openapi";
import { triageResultSchema } from "../../schemas/triage-result.ts";
import { TRIAGE_EXAMPLE } from "./triage-examples.ts";

/** The triage result as every operation returns it. The API document holds it once, under this name. */
export const triageSchema = z.object(triageResultSchema.shape).openapi("Triage", { example: TRIAGE_EXAMPLE });
