// Replaces the SDK's validator of JSON Schema in the bundle (wrangler.toml): it checks only answers to elicitations, which this server
// does not send.

export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error("This server sends no elicitations.");
  }
}

/** For a server on standard input and output. */
export const process = {};
