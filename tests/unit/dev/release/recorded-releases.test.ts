import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { recordedConfiguration } from "../../../../dev/release/record-release.ts";
import {
  historyProblem,
  type Migration,
  migrationsOf,
  recordedReleases,
  releasedConfiguration,
  releasedWorker,
} from "../../../../dev/release/recorded-releases.ts";
import { REPO_DIR } from "../../../../dev/stack/paths.ts";

const migration = (file: string, sha256 = "a"): Migration => ({ file: `${file}.sql`, sha256 });
const RELEASE = { version: "1.0.0", migrations: [migration("1_first"), migration("2_second")] };

describe("the migrations of a release", () => {
  it.each<[string, readonly Migration[], RegExp | null]>([
    ["are unchanged", [migration("1_first"), migration("2_second")], null],
    ["have later ones after them", [migration("1_first"), migration("2_second"), migration("3_third")], null],
    [
      "have one that was changed",
      [migration("1_first", "b"), migration("2_second")],
      /1_first\.sql differs from release/,
    ],
    ["have one that was deleted", [migration("2_second")], /1_first\.sql is missing/],
    [
      "have a new one between them",
      [migration("1_first"), migration("1_other"), migration("2_second")],
      /1_other\.sql comes before migrations of release 1\.0\.0/,
    ],
  ])("%s", (_, current, problem) => {
    if (problem === null) expect(historyProblem(RELEASE, current)).toBeNull();
    else expect(historyProblem(RELEASE, current)).toMatch(problem);
  });
});

describe("the recorded releases", () => {
  const releases = recordedReleases();

  it("are one or two, oldest first", () => {
    expect(releases.length).toBeGreaterThan(0);
    expect(releases.length).toBeLessThanOrEqual(2);
    const versions = releases.map(({ version }) => version);
    expect(versions.toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }))).toEqual(versions);
  });

  it.each(releases)("have migrations that never change: $version", (release) => {
    const problem = historyProblem(release, migrationsOf());
    expect(problem, problem ?? "").toBeNull();
  });

  it.each(releases)("have a Worker of their version: $version", ({ version }) => {
    expect(releasedWorker(version)).toContain(`"${version}"`);
    expect(releasedConfiguration(version)).toContain('main = "worker.js"');
  });
});

describe("the recorded configuration", () => {
  it("has the bindings of a Worker alone: no build, no static files, no hosted environments", () => {
    const source = readFileSync(join(REPO_DIR, "wrangler.toml"), "utf8");
    const configuration = recordedConfiguration(source, 'main = "worker.js"');
    expect(configuration).toContain('main = "worker.js"\ncompatibility_date');
    expect(configuration).toContain('queue = "dejavu-writes-dead"');
    expect(configuration).toContain('name = "FAILED_AUTH_RATE_LIMIT"');
    expect(configuration).not.toMatch(/\[build\]|\[assets\]|run_worker_first|html_handling|minify|\[env\.|#/);
  });
});
