import { readdir, readFile } from "node:fs/promises";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { cyclesOf, forbiddenImports, forbiddenImpurities, layerTable, readSource, targetsOf } from "./layers.ts";

const ROOT = new URL("../../", import.meta.url);
/** `npm run check` writes it. */
const GENERATED = "client/api.d.ts";

async function sourcesIn(folder: string) {
  const names = await readdir(fileURLToPath(new URL(`${folder}/`, ROOT)), { recursive: true });
  const files = names
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .filter((name) => /\.[cm]?[jt]sx?$/.test(name) && !name.includes("node_modules") && name !== GENERATED)
    .sort();
  return Promise.all(
    files.map(async (file) => ({ file, ...readSource(file, await readFile(new URL(file, ROOT), "utf8")) })),
  );
}

const product = (await Promise.all(["lib", "functions", "client", "console", "cli", "dev"].map(sourcesIn))).flat();
const tests = (await Promise.all(["tests", "bench", "evals"].map(sourcesIn))).flat();
const worker = product.filter(({ file }) => /^(lib|functions)\//.test(file));

/** Each file's imports of other files of the list. */
function fileGraph(sources: typeof product): Map<string, Set<string>> {
  const files = new Set(sources.map(({ file }) => file));
  return new Map(
    sources.map(({ file, imports }) => {
      const targets = imports.flatMap((specifier) => targetsOf(file, specifier));
      return [file, new Set(targets.filter((target) => files.has(target) && target !== file))];
    }),
  );
}

/** The same between folders; each file at the top of functions/ and cli/ counts as a folder of its own. */
function folderGraph(sources: typeof product): Map<string, Set<string>> {
  const folderOf = (file: string) => (["functions", "cli"].includes(posix.dirname(file)) ? file : posix.dirname(file));
  const folders = new Map<string, Set<string>>();
  for (const [file, targets] of fileGraph(sources)) {
    const folder = folderOf(file);
    const targetFolders = folders.get(folder) ?? new Set();
    for (const target of targets) if (folderOf(target) !== folder) targetFolders.add(folderOf(target));
    folders.set(folder, targetFolders);
  }
  return folders;
}

describe("the sources", () => {
  it("are all read", () => {
    expect(worker.length).toBeGreaterThan(200);
    expect(worker.flatMap(({ imports }) => imports).length).toBeGreaterThan(1_000);
    expect(worker.map(({ file }) => file)).toContain("functions/adapters/chroma.ts");
  });

  it("import only from their own layer and those below", () => {
    expect(worker.flatMap(({ file, imports }) => forbiddenImports(file, imports))).toEqual([]);
  });

  it("take the clock, randomness and the environment from the composition root, and keep no state that it sets", () => {
    expect(worker.flatMap(({ file, impurities }) => forbiddenImpurities(file, impurities))).toEqual([]);
    // The check sees the uses that are allowed.
    expect(worker.find(({ file }) => file === "functions/services.ts")?.impurities).toContain("new Date()");
  });

  it("have no import cycle between files", () => {
    expect(cyclesOf(fileGraph([...product, ...tests]))).toEqual([]);
  });

  it("have no import cycle between folders", () => {
    expect(cyclesOf(folderGraph(product))).toEqual([]);
  });
});

it("the table of layers stands in docs/internals/architecture.md as the rules have it", async () => {
  const page = await readFile(new URL("docs/internals/architecture.md", ROOT), "utf8");
  expect(page).toContain(layerTable());
});

it("cyclesOf finds a circle of two and one of three, no file beside them, and none in a tree", () => {
  const cycles = (edges: Record<string, string[]>) =>
    cyclesOf(new Map(Object.entries(edges).map(([from, to]) => [from, new Set(to)] as const)));
  expect(cycles({ a: ["b"], b: ["a"], c: ["d"], d: ["e"], e: ["c", "f"], f: [] })).toEqual([..."abcde"]);
  expect(cycles({ a: ["b", "c"], b: ["d"], c: ["d"], d: [] })).toEqual([]);
});

describe("forbiddenImports", () => {
  it.each([
    ["schemas/incident.ts", "../knowledge/domains/domain.ts"],
    ["knowledge/domains/route-domain.ts", "../../incidents/alert-records.ts"],
    ["search-index/outbox.ts", "../adapters/chroma.ts"],
    ["memory/observation.ts", "../incidents/incident-records.ts"],
    ["investigation/recall/recall.ts", "../../services.ts"],
    ["config.ts", "./incidents/webhooks/index.ts"],
    ["config/settings.ts", "../adapters/model-providers/anthropic.ts"],
    ["services.ts", "../dev/start.ts"],
    ["index.ts", "../client/package.json"],
    ["search-index/outbox.ts", "../../supabase/database-types.ts"],
    ["search-index/outbox.ts", "chromadb"],
    ["adapters/language-model.ts", "ai"],
    ["helpers.ts", "zod"],
  ])("reports %s → %s", (file, wrong) => {
    expect(forbiddenImports(`functions/${file}`, [wrong])).toHaveLength(1);
  });

  it.each([
    ["routes/v1/alerts.ts", "../../incidents/webhooks/grafana.ts"],
    ["investigation/model/ask-model.ts", "../../adapters/language-model.ts"],
    ["adapters/database.ts", "../../supabase/database-types.ts"],
    ["adapters/model-providers/anthropic.ts", "@ai-sdk/anthropic"],
    ["services.ts", "../client/package.json"],
    ["adapters/word-embedder.ts", "#word-table"],
    ["search-index/outbox.ts", "airtight"],
  ])("accepts %s → %s", (file, right) => {
    expect(forbiddenImports(`functions/${file}`, [right])).toEqual([]);
  });
});

it("targetsOf finds the files of every runtime behind a name of package.json", () => {
  const files = ["lib/embedding/bundled-table.ts", "lib/embedding/table-file.ts"];
  expect(targetsOf("functions/adapters/word-embedder.ts", "#word-table")).toEqual(files);
  expect(targetsOf("functions/app.ts", "./index.ts")).toEqual(["functions/index.ts"]);
  expect(targetsOf("functions/app.ts", "zod")).toEqual([]);
  expect(() => targetsOf("functions/app.ts", "#unknown")).toThrow("package.json");
});

describe("readSource", () => {
  const importsOf = (text: string) => readSource("functions/x.ts", text).imports;
  const impuritiesOf = (text: string) => readSource("functions/x.ts", text).impurities;

  it.each([
    ['import { a } from "./a.ts";', "./a.ts"],
    ['import "./a.ts";', "./a.ts"],
    ['import type { A } from "./a.ts";', "./a.ts"],
    ['export { a } from "./a.ts";', "./a.ts"],
    ['export * from "./a.ts";', "./a.ts"],
    ['const a = await import("./a.ts");', "./a.ts"],
    ["const a = await import(name);", "./<computed>"],
    ['let a: import("./a.ts").A;', "./a.ts"],
  ])("reads %j", (text, expected) => {
    expect(importsOf(text)).toEqual([expected]);
  });

  it("reads none in comments and texts", () => {
    expect(importsOf('// import "./a.ts";\nexport const a = \'import "./b.ts"\';')).toEqual([]);
  });

  it.each([
    ["const a = process.env.HOME;", "process.env"],
    ['const a = globalThis.process["env"];', "process.env"],
    ["const a = Date.now;", "Date.now"],
    ["const a = new globalThis.Date();", "new Date()"],
    ["const a = Date();", "Date()"],
    ["const a = () => Math.random();", "Math.random"],
    ["const a = globalThis.setInterval(tick, 1);", "setInterval()"],
    ["const a = AbortSignal.timeout(1);", "AbortSignal.timeout"],
    ['import { env } from "node:process";', "node:process"],
    ["let policy = false;", "a variable of the module"],
  ])("finds the impurity of %j", (text, what) => {
    expect(impuritiesOf(text)).toEqual([what]);
  });

  it("finds none in other uses of these names", () => {
    expect(impuritiesOf('[new Date(0), services.now(), Math.max(1, 2), "Date.now()", a.process.env2];')).toEqual([]);
  });

  it("rejects a file with a syntax error", () => {
    expect(() => importsOf("import { from")).toThrow("functions/x.ts");
  });
});

it("forbiddenImpurities allows the clock in the composition root alone, and setTimeout in timers.ts", () => {
  expect(forbiddenImpurities("functions/services.ts", ["new Date()"])).toEqual([]);
  expect(forbiddenImpurities("functions/config.ts", ["process.env"])).toEqual(["functions/config.ts uses process.env"]);
  expect(forbiddenImpurities("functions/timers.ts", ["setTimeout()", "Date.now"])).toHaveLength(1);
});
