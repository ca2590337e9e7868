// The rules of the module structure: which folder may import which, and the limits of files, functions and folders.
// layers.test.ts holds the sources against them; the table in docs/internals/architecture.md is made from them.

import { posix } from "node:path";
import { type ESTree, parseSync, Visitor } from "vite";

export interface Import {
  readonly specifier: string;
  /** Erased at run time. */
  readonly typeOnly: boolean;
}

export interface Source {
  readonly imports: readonly Import[];
  /** Uses of the clock, of randomness and of the environment. */
  readonly impurities: readonly string[];
  /** Functions with more than MAX_FUNCTION_LINES lines: name and length. */
  readonly longFunctions: readonly string[];
}

export const MAX_FILE_LINES = 400;
export const MAX_FUNCTION_LINES = 60;
export const MAX_FOLDER_FILES = 20;

export interface Layer {
  /** A folder with a slash at its end, or a file at the top; relative to functions/. */
  readonly name: string;
  readonly purpose: string;
  /** Folders and files that it may import besides itself. A folder includes its subfolders. */
  readonly imports: readonly string[];
}

/** From the bottom to the top. */
export const LAYERS: readonly Layer[] = [
  { name: "schemas/", purpose: "Incident, Alert, TriageResult: zod schemas and their types", imports: [] },
  { name: "retrieval/text/", purpose: "tokens, error lines, log trimming", imports: [] },
  { name: "retrieval/chunking/", purpose: "documents to chunks", imports: ["retrieval/text/"] },
  { name: "retrieval/ranking/", purpose: "BM25, fusion, ranking features", imports: ["retrieval/text/"] },
  { name: "guardrails/", purpose: "redaction, injection detection, links", imports: ["schemas/", "retrieval/"] },
  { name: "command-safety/", purpose: "is a command read-only", imports: [] },
  { name: "dependencies.ts", purpose: "failures of dependencies, timeouts, retries", imports: ["schemas/"] },
  { name: "bounded-map.ts", purpose: "maps with a size limit", imports: [] },
  {
    name: "adapters/",
    purpose: "interfaces of dependencies, and one file a vendor",
    imports: ["schemas/", "dependencies.ts", "bounded-map.ts"],
  },
  {
    name: "telemetry/",
    purpose: "log, request context, spans, metrics",
    imports: ["schemas/", "guardrails/", "dependencies.ts", "adapters/"],
  },
  { name: "knowledge/domains/", purpose: "domains and routing", imports: ["schemas/"] },
  {
    name: "incidents/webhooks/",
    purpose: "one monitoring system a file",
    imports: ["schemas/", "retrieval/", "knowledge/domains/"],
  },
  {
    name: "config/",
    purpose: "the settings and the internal figures",
    imports: ["telemetry/", "incidents/webhooks/", "config.ts"],
  },
  { name: "config.ts", purpose: "reads the settings from the environment", imports: ["config/"] },
  { name: "background-tasks.ts", purpose: "tasks that outlive a request", imports: ["telemetry/"] },
  {
    name: "access/",
    purpose: "tokens, scopes, audit events",
    imports: ["guardrails/", "dependencies.ts", "bounded-map.ts", "adapters/"],
  },
  {
    name: "search-index/",
    purpose: "documents, outbox, hybrid search, reindex",
    imports: ["schemas/", "retrieval/", "guardrails/", "dependencies.ts", "adapters/", "telemetry/", "config.ts"],
  },
  {
    name: "knowledge/",
    purpose: "runbooks, documents, cluster inventory",
    imports: ["schemas/", "retrieval/", "guardrails/", "adapters/", "search-index/"],
  },
  {
    name: "memory/",
    purpose: "observations, past answers, procedures, feedback, deletion",
    imports: [
      "schemas/",
      "retrieval/",
      "guardrails/",
      "dependencies.ts",
      "adapters/",
      "telemetry/",
      "background-tasks.ts",
      "search-index/",
      "knowledge/",
    ],
  },
  {
    name: "incidents/",
    purpose: "create, enqueue, ingest alerts, records",
    imports: [
      "schemas/",
      "retrieval/",
      "guardrails/",
      "adapters/",
      "background-tasks.ts",
      "search-index/",
      "knowledge/domains/",
      "memory/",
    ],
  },
  {
    name: "investigation/run/",
    purpose: "time, tokens, events and warnings of a run",
    imports: ["schemas/", "dependencies.ts", "adapters/", "telemetry/", "memory/", "incidents/"],
  },
  {
    name: "investigation/relevance/",
    purpose: "is a recalled text about this failure",
    imports: ["schemas/", "retrieval/", "adapters/", "search-index/", "knowledge/domains/"],
  },
  {
    name: "investigation/recall/",
    purpose: "search runbooks, incidents and memory",
    imports: [
      "schemas/",
      "retrieval/",
      "dependencies.ts",
      "telemetry/",
      "config.ts",
      "search-index/",
      "knowledge/",
      "memory/",
      "incidents/",
      "investigation/run/",
      "investigation/relevance/",
    ],
  },
  {
    name: "investigation/evidence/",
    purpose: "texts that an answer may cite",
    imports: [
      "schemas/",
      "config.ts",
      "search-index/",
      "knowledge/",
      "memory/",
      "investigation/relevance/",
      "investigation/recall/",
    ],
  },
  {
    name: "investigation/prompts/",
    purpose: "prompts and the schemas of their answers",
    imports: [
      "schemas/",
      "retrieval/",
      "guardrails/",
      "knowledge/domains/",
      "knowledge/",
      "incidents/",
      "investigation/recall/",
      "investigation/evidence/",
    ],
  },
  {
    name: "investigation/model/",
    purpose: "requests to language models",
    imports: ["dependencies.ts", "adapters/", "telemetry/", "investigation/run/", "investigation/prompts/"],
  },
  {
    name: "investigation/answer/",
    purpose: "draft, critique, verification, extractive answer",
    imports: [
      "schemas/",
      "retrieval/",
      "guardrails/",
      "command-safety/",
      "dependencies.ts",
      "search-index/",
      "knowledge/domains/",
      "knowledge/",
      "incidents/",
      "investigation/run/",
      "investigation/relevance/",
      "investigation/recall/",
      "investigation/evidence/",
      "investigation/prompts/",
      "investigation/model/",
    ],
  },
  {
    name: "investigation/learning/",
    purpose: "memory updates, summaries, resolution",
    imports: [
      "schemas/",
      "retrieval/",
      "guardrails/",
      "dependencies.ts",
      "telemetry/",
      "config.ts",
      "background-tasks.ts",
      "search-index/",
      "memory/",
      "incidents/",
      "investigation/run/",
      "investigation/recall/",
      "investigation/prompts/",
      "investigation/model/",
      "investigation/answer/",
    ],
  },
  {
    name: "investigation/",
    purpose: "the steps of a run, in order",
    imports: [
      "schemas/",
      "guardrails/",
      "dependencies.ts",
      "telemetry/",
      "config.ts",
      "background-tasks.ts",
      "search-index/",
      "knowledge/",
      "knowledge/domains/",
      "memory/",
      "incidents/",
    ],
  },
  {
    name: "jobs/",
    purpose: "cron jobs, queue consumers and producers",
    imports: [
      "dependencies.ts",
      "adapters/",
      "telemetry/",
      "background-tasks.ts",
      "search-index/",
      "memory/",
      "incidents/",
      "investigation/",
    ],
  },
  {
    name: "services.ts",
    purpose: "composition root: settings to adapters to services",
    imports: [
      "retrieval/",
      "guardrails/",
      "dependencies.ts",
      "adapters/",
      "telemetry/",
      "config.ts",
      "access/",
      "investigation/",
      "package.json",
    ],
  },
  {
    name: "routes/http/",
    purpose: "router, problems, input, paging",
    imports: ["schemas/", "dependencies.ts", "background-tasks.ts", "access/", "investigation/", "services.ts"],
  },
  {
    name: "routes/middleware/",
    purpose: "authentication, scopes, rate limits, audit",
    imports: ["dependencies.ts", "access/", "routes/http/", "services.ts"],
  },
  {
    name: "routes/v1/",
    purpose: "the HTTP API",
    imports: [
      "schemas/",
      "dependencies.ts",
      "access/",
      "search-index/",
      "knowledge/",
      "memory/",
      "incidents/",
      "incidents/webhooks/",
      "investigation/",
      "jobs/",
      "routes/http/",
      "routes/middleware/",
    ],
  },
  { name: "routes/openapi/", purpose: "the API document", imports: ["routes/http/", "routes/middleware/"] },
  {
    name: "routes/slack/",
    purpose: "commands, buttons, mentions",
    imports: [
      "schemas/",
      "dependencies.ts",
      "background-tasks.ts",
      "memory/",
      "incidents/",
      "investigation/",
      "routes/http/",
      "routes/middleware/",
      "services.ts",
    ],
  },
  {
    name: "routes/mcp/",
    purpose: "tools for agents",
    imports: [
      "schemas/",
      "dependencies.ts",
      "background-tasks.ts",
      "access/",
      "search-index/",
      "knowledge/",
      "memory/",
      "incidents/",
      "investigation/",
      "routes/http/",
      "routes/middleware/",
      "routes/v1/",
      "services.ts",
    ],
  },
  {
    name: "routes/",
    purpose: "health and metrics",
    imports: ["dependencies.ts", "telemetry/", "search-index/", "investigation/", "jobs/", "services.ts"],
  },
  {
    name: "app.ts",
    purpose: "the Hono app",
    imports: ["schemas/", "telemetry/", "background-tasks.ts", "routes/", "services.ts"],
  },
  {
    name: "index.ts",
    purpose: "entry points of the Worker",
    imports: ["telemetry/", "config.ts", "background-tasks.ts", "jobs/", "routes/", "services.ts", "app.ts"],
  },
];

/** The files of adapters/ that name no vendor; the vendors' files are imported by the composition root alone. */
const ADAPTER_INTERFACES = [
  "annotations",
  "database",
  "embedder",
  "language-model",
  "rate-limiter",
  "reranker",
  "slack",
  "span-exporter",
  "vector-store",
].map((name) => `functions/adapters/${name}.ts`);

/** Packages that one file or folder may import. */
const PACKAGES: readonly (readonly [name: RegExp, owner: string])[] = [
  [/^chromadb(\/|$)/, "functions/adapters/chroma.ts"],
  [/^@supabase\//, "functions/adapters/database.ts"],
  [/^@opentelemetry\//, "functions/adapters/otlp-exporter.ts"],
  [/^@arizeai\//, "functions/telemetry/"],
  [/^unbash$/, "functions/command-safety/"],
  [/^slack-edge(\/|$)/, "functions/routes/slack/dispatch.ts"],
  [/^@slack\//, "functions/routes/slack/block-kit.ts"],
  [/^(ai|@ai-sdk\/[^/]+|workers-ai-provider)(\/|$)/, "functions/adapters/ai-sdk-model.ts"],
  [/^(@modelcontextprotocol\/sdk|@hono\/mcp)(\/|$)/, "functions/routes/mcp/"],
];

/** The one file that may use the clock, randomness and the environment. */
const COMPOSITION_ROOT = "functions/services.ts";

/** The database's types, for the adapter alone. */
const DATABASE_TYPES = "supabase/database-types.ts";

/** The layer of a file in functions/; the most specific one. */
export function layerOf(file: string): Layer | undefined {
  return LAYERS.filter(({ name }) => covers(`functions/${name}`, file)).sort(
    (a, b) => b.name.length - a.name.length,
  )[0];
}

/** The imports of a file that the rules forbid, each as a sentence. */
export function forbiddenImports(file: string, imports: readonly Import[]): string[] {
  const layer = layerOf(file);
  if (layer === undefined) return [`${file} belongs to no layer`];
  return imports.flatMap(({ specifier, typeOnly }) => {
    if (!specifier.startsWith(".")) {
      const rule = PACKAGES.find(([name, owner]) => name.test(specifier) && !covers(owner, file));
      return rule ? [`${file} imports ${specifier}, which only ${rule[1]} may`] : [];
    }
    const target = posix.join(posix.dirname(file), specifier);
    if (target === DATABASE_TYPES && file === "functions/adapters/database.ts" && typeOnly) return [];
    const targetLayer = layerOf(target);
    if (targetLayer === layer && target.startsWith("functions/")) return [];
    // A folder at the top of a layer may use its own subfolders.
    const isOwnSubfolder = layer.name.endsWith("/") && covers(`functions/${layer.name}`, target);
    const isAllowed = layer.imports.some((name) =>
      name.includes(".") && !name.endsWith(".ts") ? target === name : covers(`functions/${name}`, target),
    );
    if (!isOwnSubfolder && !isAllowed) return [`${file} imports ${target}`];
    const isVendor = covers("functions/adapters/", target) && !ADAPTER_INTERFACES.includes(target);
    return isVendor && file !== COMPOSITION_ROOT && layer.name !== "adapters/"
      ? [`${file} imports ${target}, which names a vendor`]
      : [];
  });
}

/** The impurities that a file may not have, each as a sentence. */
export function forbiddenImpurities(file: string, impurities: readonly string[]): string[] {
  return file === COMPOSITION_ROOT ? [] : impurities.map((name) => `${file} uses ${name}`);
}

/** Groups of nodes that import each other in a circle, found with Tarjan's algorithm. */
export function cyclesOf(graph: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const indexes = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];
  const visit = (node: string): number => {
    const index = indexes.size;
    indexes.set(node, index);
    lowest.set(node, index);
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      const seenAt = indexes.get(next);
      if (seenAt === undefined) lowest.set(node, Math.min(lowest.get(node) ?? 0, visit(next)));
      else if (stack.includes(next)) lowest.set(node, Math.min(lowest.get(node) ?? 0, seenAt));
    }
    if (lowest.get(node) === index) {
      const group = stack.splice(stack.indexOf(node));
      if (group.length > 1) cycles.push(group.sort());
    }
    return lowest.get(node) ?? 0;
  };
  for (const node of graph.keys()) if (!indexes.has(node)) visit(node);
  return cycles;
}

/** The layers as a Markdown table, for docs/internals/architecture.md. */
export function layerTable(): string {
  const rows = LAYERS.map(({ name, purpose, imports }) => {
    const shown = imports.length === 0 ? "nothing" : [...new Set(imports)].map((each) => `\`${each}\``).join(" ");
    return `| \`${name}\` | ${purpose} | ${shown} |`;
  });
  return ["| folder or file | holds | may import |", "|---|---|---|", ...rows].join("\n");
}

function covers(place: string, file: string): boolean {
  return place.endsWith("/") ? file.startsWith(place) : file === place;
}

/** Reads the imports, the impurities and the long functions of a TypeScript file. @throws Error on a syntax error */
export function readSource(file: string, text: string): Source {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors.map(({ message }) => message).join("; ")}`);
  const imports: Import[] = [];
  const impurities: string[] = [];
  const longFunctions: string[] = [];
  const measure = (node: ESTree.Function | ESTree.ArrowFunctionExpression) => {
    const lines = text.slice(node.start, node.end).split("\n").length;
    if (lines > MAX_FUNCTION_LINES) longFunctions.push(`${nameOf(node)} has ${lines} lines`);
  };
  const add = (source: ESTree.Expression | null, typeOnly: boolean) => {
    if (source === null) return;
    const specifier = source.type === "Literal" && typeof source.value === "string" ? source.value : "./<computed>";
    imports.push({ specifier, typeOnly });
  };
  new Visitor({
    ImportDeclaration: ({ source, importKind, specifiers }) => {
      const onlyTypes =
        specifiers.length > 0 && specifiers.every((each) => "importKind" in each && each.importKind === "type");
      add(source, importKind === "type" || onlyTypes);
    },
    ExportNamedDeclaration: ({ source, exportKind }) => add(source, exportKind === "type"),
    ExportAllDeclaration: ({ source, exportKind }) => add(source, exportKind === "type"),
    ImportExpression: ({ source }) => add(source, false),
    TSImportType: ({ source }) => add(source, true),
    MemberExpression: (node) => {
      const name = dottedName(node);
      if (["process.env", "Date.now", "Math.random"].includes(name)) impurities.push(name);
    },
    FunctionDeclaration: measure,
    FunctionExpression: measure,
    ArrowFunctionExpression: measure,
    NewExpression: (node) => {
      if (dottedName(node.callee) === "Date" && node.arguments.length === 0) impurities.push("new Date()");
    },
    CallExpression: (node) => {
      if (dottedName(node.callee) === "Date") impurities.push("Date()");
    },
  }).visit(program);
  if (imports.some(({ specifier }) => /^(node:)?process$/.test(specifier))) impurities.push("node:process");
  return { imports, impurities, longFunctions };
}

/** `a.b["c"]` as "a.b.c", without a leading `globalThis`; "" for anything else. */
function dottedName(node: ESTree.Expression): string {
  if (node.type === "Identifier") return node.name;
  if (node.type !== "MemberExpression") return "";
  const object = dottedName(node.object);
  const { property } = node;
  const name =
    property.type === "Identifier" && !node.computed
      ? property.name
      : property.type === "Literal"
        ? String(property.value)
        : "";
  return object === "globalThis" ? name : `${object}.${name}`;
}

function nameOf(node: ESTree.Function | ESTree.ArrowFunctionExpression): string {
  return "id" in node && node.id ? node.id.name : `the function at offset ${node.start}`;
}
