// Replaces @asteasolutions/zod-to-openapi in the Worker ([alias] in wrangler.toml): the API document is made by the build
// (dev/api-document/), so that the Worker does not hold the generator and starts without registering each route.

import type { z } from "zod";

/** Keeps no definitions. */
export class OpenAPIRegistry {
  readonly definitions = [];
  registerPath(): void {}
  registerWebhook(): void {}
}

/** `schema.openapi(…)` describes nothing. */
export function extendZodWithOpenApi({ ZodType }: typeof z): void {
  Object.assign(ZodType.prototype, {
    openapi(this: z.ZodType) {
      return this;
    },
  });
}

export const OpenApiGeneratorV3 = undefined;
export const OpenApiGeneratorV31 = undefined;
export const getOpenApiMetadata = undefined;
