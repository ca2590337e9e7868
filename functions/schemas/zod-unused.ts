// Stands in for two modules of zod in the bundle (wrangler.toml): schemas made from JSON Schema, and compiled schemas, whose
// generated code a Worker may not run.

export const fromJSONSchema = undefined;
export const compile = undefined;
export const withParser = undefined;
export const INVALID = undefined;
export const ZodCompileAsyncError = undefined;
export const ZodCompileUnsupportedError = undefined;
