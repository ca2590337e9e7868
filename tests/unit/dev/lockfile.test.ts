import { expect, it } from "vitest";
import { missingPackages, readLockfile, readOverrides } from "../../../dev/lockfile.ts";

it("the lock file lists the binaries of every platform (if not: npm run lock)", () => {
  expect(missingPackages(readLockfile(), readOverrides())).toEqual({});
});

it("the lock file contains no registry host", () => {
  const resolved = Object.entries(readLockfile().packages).filter(([, entry]) => "resolved" in entry);
  expect(resolved).toEqual([]);
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
