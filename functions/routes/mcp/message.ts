// The schema of a JSON-RPC message, as far as the endpoint reads it.

import { z } from "@hono/zod-openapi";

export const messageSchema = z
  .looseObject({
    jsonrpc: z.literal("2.0"),
    id: z.union([z.string(), z.number().int()]).optional().openapi({ description: "Omitted in a notification." }),
    method: z.string().optional(),
    params: z
      .looseObject({
        _meta: z.looseObject({ progressToken: z.union([z.string(), z.number().int()]).optional() }).optional(),
      })
      .optional(),
  })
  .openapi({
    example: {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "lookup_previous_fixes", arguments: { problem: "api-gateway exited with code 137" } },
    },
  });
