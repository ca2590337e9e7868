// The rules of the module structure, and a reader of sources. layers.test.ts holds the sources against the rules; the table
// in docs/internals/architecture.md is made from LAYERS.

import { posix } from "node:path";
import { type ESTree, parseSync, Visitor } from "vite";
import packageJson from "../../package.json" with { type: "json" };

interface Layer {
  readonly name: string;
  readonly purpose: string;
  /** Folders with a slash at their end, and files. */
  readonly places: readonly string[];
}

/** Places are in functions/, apart from lib/. */
const layer = (name: string, purpose: string, ...places: readonly string[]): Layer => ({
  name,
  purpose,
  places: places.map((place) => (place === "lib/" ? place : `functions/${place}`)),
});

/** From the bottom to the top. A file imports from its own layer and those below it. */
const LAYERS: readonly Layer[] = [
  layer(
    "text libraries",
    "pure functions over texts: redaction, injection, links, logs, ranking, Markdown, checks, commands",
    "lib/",
  ),
  layer(
    "vocabulary",
    "zod schemas and their types, the view of an answer, what a failed dependency is, named timers",
    ...["schemas/", "answer-view/", "dependencies.ts", "timers.ts", "bounded-map.ts"],
  ),
  layer("adapters", "interfaces of dependencies, and one file a vendor", "adapters/"),
  layer(
    "platform",
    "settings, telemetry, tokens, what outlives a request or a failed database",
    ...["config.ts", "config/", "telemetry/", "access/", "background-tasks.ts", "write-buffer.ts"],
  ),
  layer("search index", "documents, outbox, hybrid search, reindex", "search-index/"),
  layer("knowledge", "domains and routing, runbooks, documents, inventory", "knowledge/"),
  layer(
    "evidence",
    "sources of evidence; changes and other alerts around the start of an incident",
    ...["evidence-sources/", "surroundings/"],
  ),
  layer(
    "memory",
    "observations, past answers, procedures, feedback, deletion; how often answers are right",
    ...["memory/", "quality/"],
  ),
  layer("incidents", "intake, webhooks, queue, records; changes of services", "incidents/", "changes/"),
  layer("notifications", "notification targets, their messages, and that these arrive", "notifications/"),
  layer("investigation", "the steps of a run, in order", "investigation/"),
  layer(
    "ways in",
    "settings to adapters to services; HTTP, Slack, MCP, health, cron jobs, queue consumers",
    ...["services.ts", "jobs/", "routes/", "app.ts", "index.ts"],
  ),
];

/**
 * The files of adapters/ that name no vendor, and the registry of model providers, whose settings the configuration reads.
 * The vendors' files are imported by the composition root alone.
 */
const ADAPTER_INTERFACES = [
  ...["annotations", "block-kit", "database", "embedder", "evidence/client", "http/send-json", "language-model"],
  ...["model-providers/index", "model-providers/model-provider", "rate-limiter", "reranker", "slack", "slack-buttons"],
  ...["span-exporter", "topic-service", "vector-store"],
].map((name) => `functions/adapters/${name}.ts`);

/** Packages that one file or folder may import. */
const PACKAGES: readonly (readonly [name: RegExp, owner: string])[] = [
  [/^chromadb(\/|$)/, "functions/adapters/chroma.ts"],
  [/^@supabase\//, "functions/adapters/database.ts"],
  [/^@opentelemetry\//, "functions/adapters/otlp-exporter.ts"],
  [/^@arizeai\//, "functions/telemetry/"],
  [/^unbash$/, "lib/commands/"],
  [/^@prometheus-io\//, "lib/checks/promql/"],
  [/^@grafana\//, "lib/checks/logql/"],
  [/^postgres$/, "functions/adapters/evidence/postgres.ts"],
  [/^slack-edge(\/|$)/, "functions/routes/slack/dispatch.ts"],
  [/^@slack\//, "functions/adapters/block-kit.ts"],
  [/^ai(\/|$)/, "functions/adapters/ai-sdk-model.ts"],
  [/^(@ai-sdk\/[^/]+|workers-ai-provider)(\/|$)/, "functions/adapters/model-providers/"],
  [/^(@modelcontextprotocol\/server)(\/|$)/, "functions/routes/mcp/"],
];

/** The one file that may use the clock, randomness and the environment. */
const COMPOSITION_ROOT = "functions/services.ts";
/** Files that alone may use the platform's timers, and a variable: a table that is built when it is first needed. */
const ALLOWED: ReadonlyMap<string, string> = new Map([
  ["functions/timers.ts", "setTimeout()"],
  ["lib/mechanisms/read-mechanisms.ts", "a variable of the module"],
]);
/** Files outside that one file may import. */
const OUTSIDE: ReadonlyMap<string, string> = new Map([
  ["supabase/database-types.ts", "functions/adapters/database.ts"],
  ["client/package.json", COMPOSITION_ROOT],
]);

/** The place of a file's layer, from 0 at the bottom; -1 for a file of none. */
function layerOf(file: string): number {
  return LAYERS.findIndex(({ places }) => places.some((place) => covers(place, file)));
}

/** "imports" of package.json: the files behind each name that begins with #, one for each runtime. */
const SUBPATHS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(packageJson.imports).map(([name, files]) => [name, Object.values(files)]),
);

/** The files that a specifier stands for; none for a package. @throws Error when it begins with # and package.json lacks it */
export function targetsOf(file: string, specifier: string): string[] {
  if (specifier.startsWith(".")) return [posix.join(posix.dirname(file), specifier)];
  if (!specifier.startsWith("#")) return [];
  const files = SUBPATHS.get(specifier);
  if (!files) throw new Error(`${file} imports ${specifier}, which package.json does not define.`);
  return files.map((each) => posix.normalize(each));
}

/** The imports of a file that the rules forbid, each as a sentence. */
export function forbiddenImports(file: string, imports: readonly string[]): string[] {
  if (layerOf(file) < 0) return [`${file} belongs to no layer`];
  const packages = imports.flatMap((specifier) => {
    const rule = PACKAGES.find(([name, owner]) => name.test(specifier) && !covers(owner, file));
    return rule ? [`${file} imports ${specifier}, which only ${rule[1]} may`] : [];
  });
  const files = imports
    .flatMap((specifier) => targetsOf(file, specifier))
    .flatMap((target) => {
      if (OUTSIDE.get(target) === file) return [];
      const below = layerOf(target);
      if (below < 0 || below > layerOf(file)) return [`${file} imports ${target}`];
      const isVendor = covers("functions/adapters/", target) && !ADAPTER_INTERFACES.includes(target);
      const mayNameVendors = file === COMPOSITION_ROOT || covers("functions/adapters/", file);
      return isVendor && !mayNameVendors ? [`${file} imports ${target}, which names a vendor`] : [];
    });
  return [...packages, ...files];
}

/** The impurities that a file may not have, each as a sentence. */
export function forbiddenImpurities(file: string, impurities: readonly string[]): string[] {
  if (file === COMPOSITION_ROOT) return [];
  return impurities.filter((name) => ALLOWED.get(file) !== name).map((name) => `${file} uses ${name}`);
}

/** Nodes of circles, and of paths between two: what is left when all without an import, or without an importer, go. */
export function cyclesOf(graph: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  let rest = [...graph.keys()];
  for (;;) {
    const imported = new Set(rest.flatMap((node) => [...(graph.get(node) ?? [])]));
    const kept = rest.filter((node) => imported.has(node) && rest.some((other) => graph.get(node)?.has(other)));
    if (kept.length === rest.length) return kept.sort();
    rest = kept;
  }
}

/** The layers as a Markdown table, for docs/internals/architecture.md. */
export function layerTable(): string {
  const rows = LAYERS.map(
    ({ name, purpose, places }, i) =>
      `| ${i + 1} | ${name} | ${purpose} | ${places.map((each) => `\`${each}\``).join(" ")} |`,
  );
  return ["| | layer | holds | folders and files |", "|---|---|---|---|", ...rows].join("\n");
}

function covers(place: string, file: string): boolean {
  return place.endsWith("/") ? file.startsWith(place) : file === place;
}

interface Source {
  /** Specifiers, of types too. */
  readonly imports: readonly string[];
  /** Uses of the clock, of timers, of randomness, of the environment, and of state that outlives a call. */
  readonly impurities: readonly string[];
}

/** Reads the imports and the impurities of a TypeScript file. @throws Error on a syntax error */
export function readSource(file: string, text: string): Source {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors.map(({ message }) => message).join("; ")}`);
  const imports: string[] = [];
  const impurities: string[] = [];
  const add = ({ source }: { readonly source: ESTree.Expression | null }) => {
    if (source === null) return;
    imports.push(source.type === "Literal" && typeof source.value === "string" ? source.value : "./<computed>");
  };
  new Visitor({
    ImportDeclaration: add,
    ExportNamedDeclaration: add,
    ExportAllDeclaration: add,
    ImportExpression: add,
    TSImportType: add,
    MemberExpression: (node) => {
      const name = dottedName(node);
      if (["process.env", "Date.now", "Math.random", "AbortSignal.timeout"].includes(name)) impurities.push(name);
    },
    NewExpression: (node) => {
      if (dottedName(node.callee) === "Date" && node.arguments.length === 0) impurities.push("new Date()");
    },
    CallExpression: (node) => {
      const name = dottedName(node.callee);
      if (["Date", "setTimeout", "setInterval"].includes(name)) impurities.push(`${name}()`);
    },
  }).visit(program);
  const isVariable = (node: ESTree.Node) => node.type === "VariableDeclaration" && node.kind === "let";
  if (program.body.some(isVariable)) impurities.push("a variable of the module");
  if (imports.some((specifier) => /^(node:)?process$/.test(specifier))) impurities.push("node:process");
  return { imports, impurities };
}

/** `a.b["c"]` as "a.b.c", without a leading `globalThis`; "" for anything else. */
function dottedName(node: ESTree.Expression): string {
  if (node.type === "Identifier") return node.name;
  if (node.type !== "MemberExpression") return "";
  const object = dottedName(node.object);
  const { property } = node;
  const isName = property.type === "Identifier" && !node.computed;
  const name = isName ? property.name : property.type === "Literal" ? String(property.value) : "";
  return object === "globalThis" ? name : `${object}.${name}`;
}
