import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { describe, expect, it } from "vitest";
import { createProgram } from "../../../cli/program/program.ts";
import { namedScripts } from "../../../dev/run-by-name.ts";
import { REPO_DIR } from "../../../dev/stack/paths.ts";
import { settingsSchema } from "../../../functions/config/settings.ts";
import packageJson from "../../../package.json" with { type: "json" };
import {
  anchors,
  codeBlocks,
  codeSpans,
  linkTargets,
  prose,
  readPage,
  readPages,
} from "../../support/markdown-pages.ts";

const pages = readPages();
/** The changelog names what is gone. */
const current = pages.filter(({ path }) => path !== "CHANGELOG.md");
const PATH = /^(?:bench|cli|client|console|dev|docs|evals|functions|lib|seeds|supabase|tests)\/[\w./-]+$/;
const migrations = readdirSync(join(REPO_DIR, "supabase/migrations"))
  .map((name) => readFileSync(join(REPO_DIR, "supabase/migrations", name), "utf8"))
  .join("\n");

describe("README.md", () => {
  it("has 600 to 900 words", () => {
    const words = readPage("README.md")
      .text.split(/\s+/)
      .filter((word) => word !== "").length;
    expect(words).toBeGreaterThanOrEqual(600);
    expect(words).toBeLessThanOrEqual(900);
  });
});

describe.each(pages)("$path", (page) => {
  it("links only to files and headings that exist", () => {
    const broken = linkTargets(page).filter((target) => {
      if (/^[a-z]+:/.test(target)) return false;
      const [file = "", anchor] = target.split("#");
      const path = file === "" ? page.path : posix.join(posix.dirname(page.path), file);
      if (!existsSync(join(REPO_DIR, path))) return true;
      return anchor !== undefined && !anchors(readPage(path)).includes(anchor);
    });
    expect(broken).toEqual([]);
  });
});

describe.each(current)("$path", (page) => {
  it("names only files that exist", () => {
    const paths = codeSpans(page).filter((span) => PATH.test(span));
    expect(paths.filter((path) => !existsSync(join(REPO_DIR, path)))).toEqual([]);
  });

  it("names only functions that their files contain", () => {
    const named = [...prose(page).matchAll(/`(\w+)\(\)` (?:and `(\w+)\(\)` )?in `([^`]+)`/g)];
    const missing = named.flatMap(([, first, second, path = ""]) => {
      const text = readFileSync(join(REPO_DIR, path), "utf8");
      return [first, second]
        .filter((name) => name !== undefined && !declares(text, name))
        .map((name) => `${name} in ${path}`);
    });
    expect(missing).toEqual([]);
  });

  it("names only SQL functions that a migration creates", () => {
    const names = [...prose(page).matchAll(/SQL function `(\w+)`/g)].map(([, name = ""]) => name);
    expect(names.filter((name) => !migrations.includes(`create function public.${name}(`))).toEqual([]);
  });

  it("names only npm scripts that exist, and only commands, benches and generators that exist", () => {
    const commands = [...page.text.matchAll(/npm run (?:-s |--silent )?([a-z][\w:-]*)(?: -- ([a-z][\w-]*))?/g)];
    const missing = commands.filter(([, script = "", name]) => {
      if (!Object.hasOwn(packageJson.scripts, script)) return true;
      return name !== undefined && NAMES[script]?.has(name) === false;
    });
    expect(missing.map(([command]) => command)).toEqual([]);
  });

  it("names only settings that exist", () => {
    const names = codeSpans(page).flatMap((span) => /^([A-Z]+(?:_[A-Z]+)+)(?:=.*)?$/.exec(span)?.[1] ?? []);
    expect(names.filter((name) => !(name in settingsSchema.shape) && !OTHER_NAMES.has(name))).toEqual([]);
  });

  it("gives a reason for each sh block that is not run", () => {
    const blocks = codeBlocks(page).filter(({ reasonNotToRun }) => reasonNotToRun !== undefined);
    expect(blocks.filter(({ language }) => language !== "sh")).toEqual([]);
  });
});

/** What may follow a script of package.json. */
const NAMES: Readonly<Record<string, ReadonlySet<string>>> = {
  bench: new Set(namedScripts("bench", "bench").map(({ name }) => name)),
  generate: new Set(namedScripts("generate", "dev").map(({ name }) => name)),
  dejavu: new Set(
    createProgram({
      ...{ createCli: unused, checkout: unused },
      ...{ stdout: process.stdout, stderr: process.stderr },
    }).commands.flatMap((command) => [command.name(), ...command.aliases()]),
  ),
};

function unused(): never {
  throw new Error("No command runs.");
}

/** Names of constants, bindings and variables of commands. */
const OTHER_NAMES = new Set([
  "PROMPT_VERSION",
  "TOKENIZER_VERSION",
  "TRIAGE_RATE_LIMIT",
  "EVAL_JUDGE_MODEL",
  "DEJAVU_URL",
  "DATABASE_URL",
  "CLOUDFLARE_ACCOUNT_ID",
  "CLOUDFLARE_API_TOKEN",
  "NO_COLOR",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "NODE_EXTRA_CA_CERTS",
  "NODE_USE_ENV_PROXY",
]);

function declares(text: string, name: string): boolean {
  return new RegExp(`(?:function |const |async )${name}\\b|\\b${name}\\(`).test(text);
}
