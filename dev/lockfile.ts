// `npm run lock`: completes package-lock.json. npm omits binaries of other platforms when the registry in use lacks
// them. `npm ci` then rejects the file, and nothing is locked on those platforms.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";

const LOCKFILE = fileURLToPath(new URL("../package-lock.json", import.meta.url));
const MANIFEST = fileURLToPath(new URL("../package.json", import.meta.url));

const packageSchema = z.looseObject({
  version: z.string().optional(),
  dev: z.boolean().optional(),
  optionalDependencies: z.record(z.string(), z.string()).optional(),
});
const lockfileSchema = z.looseObject({ packages: z.record(z.string(), packageSchema) });
export type Lockfile = z.infer<typeof lockfileSchema>;

export function readLockfile(): Lockfile {
  return lockfileSchema.parse(JSON.parse(readFileSync(LOCKFILE, "utf8")));
}

/** Optional dependencies that the lock file lacks, with the entries to add. */
export function missingPackages(
  lockfile: Lockfile,
  overrides: Readonly<Record<string, string>>,
): Record<string, object> {
  const missing: Record<string, object> = {};
  for (const [path, { dev, optionalDependencies = {} }] of Object.entries(lockfile.packages)) {
    for (const [name, range] of Object.entries(optionalDependencies)) {
      const key = `node_modules/${name}`;
      if (lockfile.packages[key] || lockfile.packages[`${path}/${key}`]) continue;
      missing[key] = {
        version: (overrides[name] ?? range).replace(/^[v^~]/, ""),
        ...platformOf(name),
        ...(dev ? { dev } : {}),
        optional: true,
      };
    }
  }
  return missing;
}

export function readOverrides(): Record<string, string> {
  const manifest = z.object({ overrides: z.record(z.string(), z.string()) });
  return manifest.parse(JSON.parse(readFileSync(MANIFEST, "utf8"))).overrides;
}

/** Derived from the name, which contains the platform in packages of this kind. */
function platformOf(name: string): { os?: string[]; cpu?: string[]; libc?: string[] } {
  const os = /android|darwin|freebsd|linux|win32|windows/.exec(name)?.[0].replace("windows", "win32");
  const cpu = /arm64|x64|ia32/.exec(name)?.[0] ?? (/-64$/.test(name) ? "x64" : undefined);
  const libc = name.includes("musl") ? "musl" : os === "linux" && name.includes("gnu") ? "glibc" : undefined;
  return { ...(os ? { os: [os] } : {}), ...(cpu ? { cpu: [cpu] } : {}), ...(libc ? { libc: [libc] } : {}) };
}

if (import.meta.main) {
  const lockfile = readLockfile();
  const missing = missingPackages(lockfile, readOverrides());
  const packages = Object.entries({ ...lockfile.packages, ...missing }).sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(LOCKFILE, `${JSON.stringify({ ...lockfile, packages: Object.fromEntries(packages) }, null, 2)}\n`);
  console.log(`package-lock.json: ${Object.keys(missing).length} packages of other platforms added.`);
}
