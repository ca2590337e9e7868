// The production bundle: it builds with all bindings and stays small.

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
// The platform takes 3 MB. A larger bundle starts later, so each growth is a decision.
// An [alias] in wrangler.toml that no longer matches an import costs up to 50 KB, and so does an import of a whole SDK where
// one of its models is used.
const MAX_BUNDLE_BYTES = 860 * 1_024;

function dryRun(options: readonly string[]) {
  return spawnSync(join(ROOT, "node_modules/.bin/wrangler"), ["deploy", "--dry-run", ...options], {
    cwd: ROOT,
    encoding: "utf8",
    env: { ...process.env, WRANGLER_SEND_METRICS: "false", CLOUDFLARE_CF_FETCH_ENABLED: "false", NO_COLOR: "1" },
  });
}

it("production builds with its queue, limits and assets, in at most 860 KB gzipped", async () => {
  const output = await mkdtemp(join(tmpdir(), "dejavu-bundle-"));
  try {
    const build = dryRun(["--env", "", "--outdir", output]);
    expect(build.status, build.stdout + build.stderr).toBe(0);
    expect(build.stdout).toContain("env.OUTBOX_QUEUE");
    for (const limit of ["RATE_LIMIT", "TRIAGE_RATE_LIMIT", "FAILED_AUTH_RATE_LIMIT"])
      expect(build.stdout).toContain(`env.${limit}`);
    expect(build.stdout).toContain("env.ASSETS");
    expect(build.stdout).toMatch(/Read \d+ files from the assets directory .*build.assets/);
    expect(build.stdout + build.stderr).not.toMatch(/warning/i);

    const scripts = readdirSync(output).filter((name) => name.endsWith(".js"));
    const bytes = scripts.reduce((sum, name) => sum + gzipSync(readFileSync(join(output, name))).length, 0);
    console.log(`Worker bundle: ${(bytes / 1_024).toFixed(1)} KB gzipped`);
    expect(scripts.length).toBeGreaterThan(0);
    expect(bytes).toBeLessThanOrEqual(MAX_BUNDLE_BYTES);
  } finally {
    rmSync(output, { recursive: true });
  }
});

it("preview builds with its own queues and the bindings of production", () => {
  const build = dryRun(["--env", "preview"]);
  expect(build.status, build.stdout + build.stderr).toBe(0);
  expect(build.stdout).toContain("dejavu-preview-outbox");
  expect(build.stdout).not.toMatch(/\(dejavu-(outbox|triages|writes)\)/);
  expect(build.stdout + build.stderr).not.toMatch(/warning/i);
});

it("preview is production with other names, so that the two share nothing", () => {
  const configuration = readFileSync(join(ROOT, "wrangler.toml"), "utf8");
  // Sections that wrangler does not inherit, besides crons and observability, which are here to be complete.
  const OWN = /^\[+(?:env\.preview\.)?(?:triggers|queues|ratelimits|observability)\b/;
  const linesOf = (isPreview: boolean) =>
    configuration
      .split(/^(?=\[)/m)
      .filter((section) => OWN.test(section) && section.includes("env.preview.") === isPreview)
      .flatMap((section) => section.split("\n"))
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((line) => line.replace("env.preview.", ""));
  const preview = linesOf(true);
  const production = linesOf(false);
  const named = production.map((line) =>
    line.replace(/(queue = "dejavu)-/, "$1-preview-").replace(/"33850(\d)"/, '"33851$1"'),
  );
  expect(preview).toEqual(named);
  const names = (lines: readonly string[]) => lines.filter((line) => /^(.*queue = |namespace_id)/.test(line));
  expect(names(preview).filter((line) => names(production).includes(line))).toEqual([]);
});

it("the limits allow a storm of 500 alerts in a minute", () => {
  const configuration = readFileSync(join(ROOT, "wrangler.toml"), "utf8");
  const limits = [...configuration.matchAll(/name = "RATE_LIMIT"\n.*\nsimple = \{ limit = (\d+), period = 60 \}/g)];
  expect(limits).toHaveLength(2);
  for (const [, limit] of limits) expect(Number(limit)).toBeGreaterThan(500);
});
