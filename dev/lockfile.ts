// `npm run generate -- lock`: the binaries of other platforms in package-lock.json. npm omits them when the registry in
// use lacks them. `npm ci` then rejects the file, and nothing is locked on those platforms. Checksums that are missing
// are looked up. Each package gets its address in the public registry, which npm replaces by that of the registry in use.

import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";

const LOCKFILE = fileURLToPath(new URL("../package-lock.json", import.meta.url));
const MANIFEST = fileURLToPath(new URL("../package.json", import.meta.url));

const FOLDER = "node_modules/";

const packageSchema = z.looseObject({
  version: z.string().optional(),
  resolved: z.string().optional(),
  integrity: z.string().optional(),
  link: z.boolean().optional(),
  optional: z.boolean().optional(),
  dev: z.boolean().optional(),
  optionalDependencies: z.record(z.string(), z.string()).optional(),
});
const lockfileSchema = z.looseObject({ packages: z.record(z.string(), packageSchema) });
export type Lockfile = z.infer<typeof lockfileSchema>;

export function readLockfile(): Lockfile {
  const lockfile: unknown = JSON.parse(readFileSync(LOCKFILE, "utf8"));
  requireLockfile(lockfile);
  return lockfile;
}

/** Returns nothing: a parsed copy would have its fields in another order. */
function requireLockfile(value: unknown): asserts value is Lockfile {
  lockfileSchema.parse(value);
}

/** Optional dependencies that the lock file lacks, with the entries to add. */
export function missingPackages(lockfile: Lockfile, overrides: Readonly<Record<string, string>>): Lockfile["packages"] {
  const missing: Lockfile["packages"] = {};
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

/** Paths of the packages whose content the lock file does not identify: npm installs whatever the registry has. */
export function withoutIntegrity(lockfile: Lockfile): string[] {
  return Object.entries(lockfile.packages)
    .filter(([path, { integrity, link }]) => path.includes(FOLDER) && !link && integrity === undefined)
    .map(([path]) => path);
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf(FOLDER) + FOLDER.length);
}

/** The address of a package in the public registry; undefined for a link and a package of this repository. */
export function publicAddress(path: string, { version, link }: Lockfile["packages"][string]): string | undefined {
  if (!path.includes(FOLDER) || link || version === undefined) return undefined;
  const name = nameOf(path);
  return `https://registry.npmjs.org/${name}/-/${name.slice(name.indexOf("/") + 1)}-${version}.tgz`;
}

/** An entry with that address, where npm writes it. */
function withAddress(path: string, entry: Lockfile["packages"][string]): Lockfile["packages"][string] {
  const { version, resolved: _former, ...rest } = entry;
  const resolved = publicAddress(path, entry);
  return resolved === undefined ? entry : { version, resolved, ...rest };
}

/** The checksum of a version, from the registry in use; null if it lacks the version or cannot be reached. */
function lookUpIntegrity(path: string, version: string): Promise<string | null> {
  return new Promise((resolve) => {
    execFile("npm", ["view", `${nameOf(path)}@${version}`, "dist.integrity"], (error, output) => {
      const integrity = output.trim();
      resolve(error === null && /^sha512-[A-Za-z0-9+/]+=*$/.test(integrity) ? integrity : null);
    });
  });
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
  const completed: Lockfile = { ...lockfile, packages: { ...lockfile.packages, ...missing } };
  const unidentified = withoutIntegrity(completed);
  for (const path of unidentified) {
    const locked = completed.packages[path];
    if (locked?.version === undefined) continue;
    const integrity = await lookUpIntegrity(path, locked.version);
    if (integrity !== null) locked.integrity = integrity;
  }
  const packages = Object.entries(completed.packages)
    .map(([path, entry]) => [path, withAddress(path, entry)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(LOCKFILE, `${JSON.stringify({ ...completed, packages: Object.fromEntries(packages) }, null, 2)}\n`);
  console.log(`package-lock.json: ${Object.keys(missing).length} packages of other platforms added.`);
  const rest = withoutIntegrity(completed);
  console.log(`Checksums: ${unidentified.length - rest.length} added, ${rest.length} missing.`);
  if (rest.length > 0)
    console.log(`The registry in use lacks these versions; run this with one that has them:\n  ${rest.join("\n  ")}`);
}
