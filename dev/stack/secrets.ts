// Passwords and keys of a stack: made once per data folder and kept in `secrets.json` (mode 600). The two API keys are
// JWTs like those that Supabase issues.

import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { SignJWT } from "jose";
import { z } from "zod";
import { readJsonIfExists, writeFileAtomic } from "./system/atomic-file.ts";
import { StackError } from "./system/errors.ts";

const secretsSchema = z.strictObject({
  version: z.literal(1),
  /** The Worker's bearer token. */
  token: z.string().min(1),
  postgresPassword: z.string().min(1),
  authenticatorPassword: z.string().min(1),
  jwtSecret: z.string().min(32),
  anonKey: z.string().min(1),
  serviceRoleKey: z.string().min(1),
});

export type Secrets = z.infer<typeof secretsSchema>;

/** As long as that of Supabase's own keys. */
const KEY_LIFETIME = "10y";

/**
 * Reads the secrets of a data folder, or creates them for a new one.
 * @throws StackError when the secrets are missing but the database exists: its password is lost
 */
export async function loadSecrets(path: string, databaseDir: string): Promise<Secrets> {
  const stored = secretsSchema.safeParse(readJsonIfExists(path));
  if (stored.success) return stored.data;
  if (existsSync(databaseDir)) {
    throw new StackError(
      `The password of the database in ${databaseDir} is lost: ${path} is missing or damaged. ` +
        "Restore that file, or delete the database folder to start with an empty database.",
    );
  }
  const secrets = await createSecrets();
  writeFileAtomic(path, JSON.stringify(secrets, null, 2));
  return secrets;
}

async function createSecrets(): Promise<Secrets> {
  const jwtSecret = randomBytes(32).toString("hex");
  return {
    version: 1,
    token: `dejavu_${randomBytes(24).toString("base64url")}`,
    postgresPassword: randomBytes(24).toString("hex"),
    authenticatorPassword: randomBytes(24).toString("hex"),
    jwtSecret,
    anonKey: await signKey(jwtSecret, "anon"),
    serviceRoleKey: await signKey(jwtSecret, "service_role"),
  };
}

function signKey(secret: string, role: "anon" | "service_role"): Promise<string> {
  return new SignJWT({ role, iss: "dejavu-local" })
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .setIssuedAt()
    .setExpirationTime(KEY_LIFETIME)
    .sign(new TextEncoder().encode(secret));
}
