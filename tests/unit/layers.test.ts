import { readdir, readFile } from "node:fs/promises";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { LAYERS } from "./layer-list.ts";
import {
  cyclesOf,
  forbiddenImports,
  forbiddenImpurities,
  type Import,
  layerOf,
  layerTable,
  MAX_FILE_LINES,
  MAX_FOLDER_FILES,
  readSource,
} from "./layers.ts";

const ROOT = new URL("../../", import.meta.url);
const PRODUCT = ["functions", "client", "console", "cli", "dev"];
/** `npm run check` writes it. */
const GENERATED = "client/api.d.ts";

async function sourcesIn(folder: string) {
  const names = await readdir(fileURLToPath(new URL(`${folder}/`, ROOT)), { recursive: true });
  const files = names
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .filter((name) => /\.[cm]?[jt]sx?$/.test(name) && !name.includes("node_modules") && name !== GENERATED)
    .sort();
  return Promise.all(
    files.map(async (file) => {
      const text = await readFile(new URL(file, ROOT), "utf8");
      return { file, lines: text.split("\n").length - 1, ...readSource(file, text) };
    }),
  );
}

const product = (await Promise.all(PRODUCT.map(sourcesIn))).flat();
const tests = (await Promise.all(["tests", "bench", "evals"].map(sourcesIn))).flat();
const functions = product.filter(({ file }) => file.startsWith("functions/"));

const value = (specifier: string): Import => ({ specifier, typeOnly: false });
const type = (specifier: string): Import => ({ specifier, typeOnly: true });

/** Each file's imports of other files of the list. */
function fileGraph(sources: typeof product): Map<string, Set<string>> {
  const files = new Set(sources.map(({ file }) => file));
  return new Map(
    sources.map(({ file, imports }) => {
      const targets = imports.map(({ specifier }) => posix.join(posix.dirname(file), specifier));
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
    expect(functions.length).toBeGreaterThan(200);
    expect(functions.flatMap(({ imports }) => imports).length).toBeGreaterThan(1_000);
    expect(functions.map(({ file }) => file)).toContain("functions/adapters/chroma.ts");
  });

  it("import only what their layer may import", () => {
    expect(functions.flatMap(({ file, imports }) => forbiddenImports(file, imports))).toEqual([]);
  });

  it("take the clock, randomness and the environment from the composition root", () => {
    expect(functions.flatMap(({ file, impurities }) => forbiddenImpurities(file, impurities))).toEqual([]);
    // The check sees the uses that are allowed.
    expect(functions.find(({ file }) => file === "functions/services.ts")?.impurities).toContain("new Date()");
  });

  it("have no import cycle between files", () => {
    expect(cyclesOf(fileGraph([...product, ...tests]))).toEqual([]);
  });

  it("have no import cycle between folders", () => {
    expect(cyclesOf(folderGraph(product))).toEqual([]);
  });

  it(`have at most ${MAX_FILE_LINES} lines a file`, () => {
    const long = [...product, ...tests].filter(({ lines }) => lines > MAX_FILE_LINES);
    expect(long.map(({ file, lines }) => `${file} has ${lines} lines`)).toEqual([]);
  });

  it("have no function of more than 60 lines", () => {
    expect(product.flatMap(({ file, longFunctions }) => longFunctions.map((each) => `${file}: ${each}`))).toEqual([]);
  });

  it(`have at most ${MAX_FOLDER_FILES} files a folder`, () => {
    const sizes = Map.groupBy([...product, ...tests], ({ file }) => posix.dirname(file));
    const full = [...sizes].filter(([, files]) => files.length > MAX_FOLDER_FILES);
    expect(full.map(([folder, files]) => `${folder} has ${files.length} files`)).toEqual([]);
  });
});

describe("the table of layers", () => {
  it("stands in docs/internals/architecture.md as the rules have it", async () => {
    const page = await readFile(new URL("docs/internals/architecture.md", ROOT), "utf8");
    expect(page).toContain(layerTable());
  });

  it("lists layers from the bottom to the top: each imports only layers above it in the list, and itself", () => {
    const places = new Map(LAYERS.map(({ name }, i) => [name, i]));
    const upward = LAYERS.flatMap(({ name, imports }, i) =>
      imports
        .filter((each) => (places.get(each) ?? -1) > i && !each.startsWith(name))
        .map((each) => `${name} imports ${each}`),
    );
    expect(upward).toEqual([]);
  });

  it("has a layer for each file", () => {
    expect(functions.filter(({ file }) => layerOf(file) === undefined).map(({ file }) => file)).toEqual([]);
  });
});

describe("cyclesOf", () => {
  const graph = (edges: Record<string, string[]>) =>
    new Map(Object.entries(edges).map(([from, to]) => [from, new Set(to)] as const));

  it("finds a cycle of two and one of three", () => {
    const cycles = cyclesOf(graph({ a: ["b"], b: ["a", "c"], c: ["d"], d: ["e"], e: ["c"] }));
    expect(cycles.map((each) => each.join("")).sort()).toEqual(["ab", "cde"]);
  });

  it("finds none in a tree", () => {
    expect(cyclesOf(graph({ a: ["b", "c"], b: ["d"], c: ["d"], d: [] }))).toEqual([]);
  });
});

describe("forbiddenImports", () => {
  it.each<[file: string, wrong: Import]>([
    ["schemas/incident.ts", type("../knowledge/domains/domain.ts")],
    ["retrieval/text/stem.ts", type("../../adapters/vector-store.ts")],
    ["retrieval/text/stem.ts", value("../ranking/bm25.ts")],
    ["guardrails/redaction/redact.ts", value("../../memory/observation.ts")],
    ["knowledge/domains/route-domain.ts", value("../../retrieval/text/tokenize.ts")],
    ["incidents/webhooks/grafana.ts", value("../alert-records.ts")],
    ["incidents/webhooks/grafana.ts", value("../../dependencies.ts")],
    ["incidents/ingest-alerts.ts", type("../investigation/run/services.ts")],
    ["adapters/chroma.ts", value("../search-index/services.ts")],
    ["adapters/database.ts", value("../../supabase/database-types.ts")],
    ["search-index/outbox.ts", type("../../supabase/database-types.ts")],
    ["search-index/outbox.ts", value("../adapters/chroma.ts")],
    ["search-index/outbox.ts", value("../routes/http/problem.ts")],
    ["memory/observation.ts", type("../incidents/incident-records.ts")],
    ["investigation/recall/recall.ts", type("../../services.ts")],
    ["investigation/recall/recall.ts", value("../answer/answer.ts")],
    ["investigation/recall/recall.ts", value("../investigate.ts")],
    ["jobs/retry-outbox.ts", value("../routes/http/problem.ts")],
    ["routes/http/router.ts", value("../v1/triage.ts")],
    ["routes/v1/triage.ts", value("../slack/index.ts")],
    ["routes/health.ts", value("../adapters/chroma.ts")],
    ["config.ts", value("./services.ts")],
    ["services.ts", value("../dev/start.ts")],
    ["index.ts", value("../cli/seed.ts")],
    ["retrieval/text/stem.ts", value("../../../retrieval-helpers.ts")],
    ["retrieval/text/stem.ts", value("./<computed>/../../../dev/x.ts")],
    ["search-index/outbox.ts", value("chromadb")],
    ["adapters/chroma.ts", value("@supabase/postgrest-js")],
    ["investigation/model/ask-model.ts", value("ai")],
    ["adapters/language-model.ts", value("ai")],
    ["adapters/ai-sdk-model.ts", value("@ai-sdk/anthropic")],
    ["config/settings.ts", value("../adapters/model-providers/anthropic.ts")],
    ["routes/slack/index.ts", value("slack-edge")],
    ["helpers/misc.ts", value("zod")],
    ["helpers.ts", value("zod")],
  ])("reports %s → %j", (file, wrong) => {
    expect(forbiddenImports(`functions/${file}`, [wrong])).toHaveLength(1);
  });

  it.each<[file: string, right: Import]>([
    ["retrieval/chunking/chunk-log.ts", value("../text/fold-lines.ts")],
    ["retrieval/text/stem.ts", value("zod")],
    ["guardrails/redaction/redact.ts", value("../../retrieval/text/tokenize.ts")],
    ["incidents/webhooks/grafana.ts", value("../../schemas/alert.ts")],
    ["routes/v1/alerts.ts", value("../../incidents/webhooks/grafana.ts")],
    ["adapters/database.ts", type("../../supabase/database-types.ts")],
    ["adapters/database.ts", value("@supabase/postgrest-js")],
    ["adapters/ai-sdk-model.ts", value("ai")],
    ["adapters/model-providers/anthropic.ts", value("@ai-sdk/anthropic")],
    ["investigation/investigate.ts", value("./recall/recall.ts")],
    ["investigation/model/ask-model.ts", value("../../adapters/language-model.ts")],
    ["jobs/retry-outbox.ts", type("../investigation/run/services.ts")],
    ["routes/health.ts", type("../services.ts")],
    ["services.ts", value("./adapters/chroma.ts")],
    ["services.ts", value("../package.json")],
    ["retrieval/text/stem.ts", value("airtight")],
  ])("accepts %s → %j", (file, right) => {
    expect(forbiddenImports(`functions/${file}`, [right])).toEqual([]);
  });

  it("names the file and the import", () => {
    expect(forbiddenImports("functions/search-index/outbox.ts", [value("../routes/http/problem.ts")])).toEqual([
      "functions/search-index/outbox.ts imports functions/routes/http/problem.ts",
    ]);
  });
});

describe("readSource", () => {
  const importsOf = (text: string) => readSource("functions/x.ts", text).imports;
  const impuritiesOf = (text: string) => readSource("functions/x.ts", text).impurities;

  it.each([
    ['import { a } from "./a.ts";', [value("./a.ts")]],
    ['import a, * as b from "./a.ts";', [value("./a.ts")]],
    ['import "./a.ts";', [value("./a.ts")]],
    ['import {} from "./a.ts";', [value("./a.ts")]],
    ['import type { A } from "./a.ts";', [type("./a.ts")]],
    ['import { type A, type B } from "./a.ts";', [type("./a.ts")]],
    ['import { type A, b } from "./a.ts";', [value("./a.ts")]],
    ['export { a } from "./a.ts";', [value("./a.ts")]],
    ['export * from "./a.ts";', [value("./a.ts")]],
    ['export type { A } from "./a.ts";', [type("./a.ts")]],
    ['export type * from "./a.ts";', [type("./a.ts")]],
    ['const a = await import("./a.ts");', [value("./a.ts")]],
    ["const a = await import(name);", [value("./<computed>")]],
    ['let a: import("./a.ts").A;', [type("./a.ts")]],
    ['// import "./a.ts";\nconst a = \'import "./b.ts"\';', []],
    ["export const a = 1;", []],
  ])("reads %j", (text, expected) => {
    expect(importsOf(text)).toEqual(expected);
  });

  it.each([
    ["const a = process.env.HOME;", "process.env"],
    ['const a = globalThis.process["env"];', "process.env"],
    ["const a = Date.now();", "Date.now"],
    ["const a = Date.now;", "Date.now"],
    ["const a = new Date();", "new Date()"],
    ["const a = new globalThis.Date();", "new Date()"],
    ["const a = Date();", "Date()"],
    ["const a = () => Math.random();", "Math.random"],
    ["setTimeout(() => {}, 1);", "setTimeout()"],
    ["const a = globalThis.setInterval(tick, 1);", "setInterval()"],
    ["const a = AbortSignal.timeout(1);", "AbortSignal.timeout"],
    ['import { env } from "node:process";', "node:process"],
  ])("finds the impurity of %j", (text, what) => {
    expect(impuritiesOf(text)).toEqual([what]);
  });

  it.each(["new Date(0)", "new Date(now)", "services.now()", "Math.max(1, 2)", '"Date.now()"', "a.process.env2"])(
    "finds none in %j",
    (text) => {
      expect(impuritiesOf(`const a = ${text};`)).toEqual([]);
    },
  );

  it("rejects a file with a syntax error", () => {
    expect(() => importsOf("import { from")).toThrow("functions/x.ts");
  });
});

describe("forbiddenImpurities", () => {
  it("allows them in the composition root alone", () => {
    expect(forbiddenImpurities("functions/services.ts", ["new Date()"])).toEqual([]);
    expect(forbiddenImpurities("functions/config.ts", ["process.env"])).toEqual([
      "functions/config.ts uses process.env",
    ]);
  });

  it("allows setTimeout in timers.ts", () => {
    expect(forbiddenImpurities("functions/timers.ts", ["setTimeout()", "Date.now"])).toEqual([
      "functions/timers.ts uses Date.now",
    ]);
  });
});

describe("readSource's long functions", () => {
  it("are those of more than 60 lines", () => {
    const body = (lines: number) => `function named() {\n${"  work();\n".repeat(lines - 2)}}`;
    expect(readSource("functions/x.ts", body(60)).longFunctions).toEqual([]);
    expect(readSource("functions/x.ts", body(61)).longFunctions).toEqual(["named has 61 lines"]);
  });
});
