// Temporary folders and projects of tests.

import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A Worker that returns its variables and counts its cron calls. */
const WORKER = `
let crons = 0;
export default {
  async fetch(request: Request, env: Record<string, unknown>): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === "/health") return Response.json({ status: "ok" });
    return Response.json({ env, crons });
  },
  async scheduled(): Promise<void> {
    crons += 1;
  },
};
`;

const WRANGLER = `
name = "scratch"
main = "functions/index.ts"
compatibility_date = "2026-11-01"
[triggers]
crons = ["*/2 * * * *"]
`;

/** A folder of mode 755, removed at the end of the test. @param keep the caller removes it */
export function scratchDir({ keep = false } = {}): string {
  const dir = mkdtempSync(join(tmpdir(), "dejavu-test-"));
  // The user that runs root's Postgres must be able to enter.
  chmodSync(dir, 0o755);
  mkdirSync(join(dir, "tmp"));
  if (!keep) onTestFinished(() => removeDir(dir));
  return dir;
}

export function removeDir(dir: string): void {
  rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
}

/** A minimal project for a stack. */
export function writeProject(
  dir: string,
  options: { worker?: string; migrations?: Record<string, string> } = {},
): string {
  mkdirSync(join(dir, "functions"), { recursive: true });
  mkdirSync(join(dir, "supabase/migrations"), { recursive: true });
  writeFileSync(join(dir, "functions/index.ts"), options.worker ?? WORKER);
  writeFileSync(join(dir, "wrangler.toml"), WRANGLER);
  for (const [name, sql] of Object.entries(options.migrations ?? {})) {
    writeFileSync(join(dir, "supabase/migrations", name), sql);
  }
  return dir;
}
