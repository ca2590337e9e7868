// Owns the part of Cloudflare's AI binding that our own adapters use.

export interface AiBinding {
  run(model: string, input: object): Promise<unknown>;
}
