import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { recordedConfiguration } from "../../../../dev/release/record-release.ts";
import {
  historyProblem,
  type Migration,
  migrationsOf,
  publishedReleases,
  type Release,
  recordedReleases,
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

describe("the published releases", () => {
  const release = (version: string): Release => ({ version, api: {}, worker: "", configuration: "", migrations: [] });

  it.each<[string, readonly string[]]>([
    ["1.9.0", []],
    ["1.9.1", ["1.9.0"]],
    ["1.10.0", ["1.9.0"]],
    ["2.0.0", ["1.9.0", "1.10.0"]],
  ])("are those below the version of package.json: %s", (version, published) => {
    const recorded = ["1.9.0", "1.10.0", "2.0.0"].map(release);
    expect(publishedReleases(recorded, version).map((each) => each.version)).toEqual(published);
  });

  it("have migrations that never change", () => {
    const problems = publishedReleases().map((each) => historyProblem(each, migrationsOf()));
    expect(problems.filter((problem) => problem !== null)).toEqual([]);
  });
});

describe("the recorded releases", () => {
  const releases = recordedReleases();

  it("end with the newest of the changelog", () => {
    const newest = /^## \[?(\d+\.\d+\.\d+)/m.exec(readFileSync(join(REPO_DIR, "CHANGELOG.md"), "utf8"))?.[1];
    expect(releases.at(-1)?.version, "Run `npm run release`").toBe(newest);
  });

  it.each(releases)("have a Worker, an API and migrations: $version", ({ version, api, worker, ...rest }) => {
    expect(worker).toContain(`"${version}"`);
    expect(api.info).toMatchObject({ version });
    expect(rest.configuration).toContain('main = "worker.js"');
    expect(rest.migrations.map(({ file }) => file)).not.toEqual([]);
  });
});

describe("the recorded configuration", () => {
  it("has the bindings of a Worker alone: no build, no static files, no hosted environments", () => {
    const source = readFileSync(join(REPO_DIR, "wrangler.toml"), "utf8");
    const configuration = recordedConfiguration(source, 'main = "worker.js"');
    expect(configuration).toContain('main = "worker.js"\ncompatibility_date');
    expect(configuration).toContain('queue = "dejavu-writes-dead"');
    expect(configuration).toContain('name = "FAILED_AUTH_RATE_LIMIT"');
    expect(configuration).not.toMatch(
      /\[build\]|\[assets\]|run_worker_first|html_handling|minify|\[observability|\[env\.|#/,
    );
  });
});
