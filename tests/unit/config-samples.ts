// The least that a configuration needs, and how a test asks why one is refused.

import { ConfigError, type Environment, readConfig } from "../../functions/config.ts";

export const MINIMAL: Environment = {
  SUPABASE_URL: "http://localhost:54321",
  SUPABASE_SERVICE_ROLE_KEY: "role-key",
  CHROMA_URL: "http://localhost:8000",
};

/** The message with which an environment is refused; "accepted" where it is not. */
export function refusal(changes: Environment): string {
  try {
    readConfig({ ...MINIMAL, ...changes });
    return "accepted";
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}
