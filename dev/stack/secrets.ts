/**
 * The stack's own passwords and keys: made once per data folder, kept in `secrets.json` (mode 600) and nowhere else.
 * The two API keys are JWTs as Supabase issues them.
 */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { SignJWT } from "jose";
import { z } from "zod";
import { readJsonIfThere, writeFileAtomic } from "./system/atomic-file.ts";
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

/** Longer than any checkout lives; Supabase's own keys are good for ten years. */
const KEY_LIFETIME = "10y";

/**
 * Reads the folder's secrets or makes them.
 * @param databaseDir when it exists without secrets, its password is lost and that is said instead of failing later
 */
export async function loadSecrets(path: string, databaseDir: string): Promise<Secrets> {
  const stored = secretsSchema.safeParse(readJsonIfThere(path));
  if (stored.success) return stored.data;
  if (existsSync(databaseDir)) {
    throw new StackError(
      `The database in ${databaseDir} is there but its password is not: ${path} is missing or damaged. ` +
        "Put that file back, or delete the database folder to start with an empty one.",
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
