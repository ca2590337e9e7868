// Every regular expression of the Worker and the command line takes linear time, or is refused here by name. Hostile
// texts are measured by `npm run bench -- hostile`.

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { RegExpParser } from "@eslint-community/regexpp";
import { analyse } from "scslre";
import { parseSync } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const FILES = globSync("{functions,lib,cli}/**/*.ts", { cwd: ROOT, exclude: (name) => name.endsWith(".d.ts") });
/** Only the bundler of the Worker can load it. */
const BUNDLED = "lib/embedding/bundled-table.ts";
const PARSER = new RegExpParser({ ecmaVersion: 2025 });

/**
 * What makes a pattern super-linear; undefined for a linear one. `Move`: a search that begins again at each character.
 * `Self` and `Trade`: quantifiers that share the same characters.
 */
function problemOf(literal: string): string | undefined {
  const { reports } = analyse(PARSER.parseLiteral(literal), { maxReports: 1 });
  const [report] = reports;
  if (report === undefined) return undefined;
  const parts = report.type === "Trade" ? [report.startQuant, report.endQuant] : [report.quant];
  return `${report.type}: ${parts.map(({ raw }) => raw).join(" … ")} in ${literal}`;
}

function literalsOf(file: string): string[] {
  const { program } = parseSync(file, readFileSync(join(ROOT, file), "utf8"));
  const literals: string[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const { type, regex } = node as { type?: string; regex?: { pattern: string; flags: string } };
    if (type === "Literal" && regex) literals.push(`/${regex.pattern}/${regex.flags}`);
    for (const child of Object.values(node)) visit(child);
  };
  visit(program.body);
  return literals;
}

describe("a regular expression", () => {
  it.each(["/a+$/", "/a+b/", "/(?:a|a)*b/", "/a*\\s*a*b/", "/<[a-z][^<>]*=[^<>]*>/"])(
    "that is not linear is found: %s",
    (literal) => {
      expect(problemOf(literal)).toBeDefined();
    },
  );

  it.each(["/ba+/", "/(?<!a)a+$/", "/\\ba{1,64}b/"])("that is linear is accepted: %s", (literal) => {
    expect(problemOf(literal)).toBeUndefined();
  });

  it.each(FILES)("is linear in %s", (file) => {
    expect(
      literalsOf(file)
        .map(problemOf)
        .filter((problem) => problem !== undefined),
    ).toEqual([]);
  });
});

/** Whether the caller of the caller is a file of a package. */
function madeByPackage(): boolean {
  const [, , , caller = ""] = (new Error().stack ?? "").split("\n");
  return caller.includes("node_modules");
}

describe("a regular expression that is put together when a module is loaded", () => {
  const made = new Set<string>();
  const Original = RegExp;

  beforeAll(async () => {
    globalThis.RegExp = new Proxy(Original, {
      construct(target, parts, newTarget) {
        const pattern = Reflect.construct(target, parts, newTarget) as RegExp;
        // Those of packages are not ours: the lexer of SQL reads at most the 5,000 characters of a query.
        if (!madeByPackage()) made.add(String(pattern));
        return pattern;
      },
    });
    // A module that another test file of this process has loaded makes its patterns again under another address.
    for (const file of FILES.filter((path) => !path.startsWith("cli/") && path !== BUNDLED))
      await import(`${pathToFileURL(join(ROOT, file)).href}?patterns`);
  }, 120_000);

  afterAll(() => {
    globalThis.RegExp = Original;
  });

  it("is linear", () => {
    expect(made.size).toBeGreaterThan(50);
    expect([...made].map(problemOf).filter((problem) => problem !== undefined)).toEqual([]);
  });
});
