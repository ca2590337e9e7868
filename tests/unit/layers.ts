// The rules of the module structure: which folder may import which, and the limits of files, functions and folders.
// layers.test.ts holds the sources against them; the table in docs/internals/architecture.md is made from them.

import { posix } from "node:path";
import { type ESTree, parseSync, Visitor } from "vite";
import { LAYERS, type Layer } from "./layer-list.ts";

export interface Import {
  readonly specifier: string;
  /** Erased at run time. */
  readonly typeOnly: boolean;
}

export interface Source {
  readonly imports: readonly Import[];
  /** Uses of the clock, of timers, of randomness and of the environment. */
  readonly impurities: readonly string[];
  /** Functions with more than MAX_FUNCTION_LINES lines: name and length. */
  readonly longFunctions: readonly string[];
}

export const MAX_FILE_LINES = 400;
export const MAX_FUNCTION_LINES = 60;
export const MAX_FOLDER_FILES = 20;

/**
 * The files of adapters/ that name no vendor, and the registry of model providers, whose settings the configuration reads.
 * The vendors' files are imported by the composition root alone.
 */
const ADAPTER_INTERFACES = [
  "annotations",
  "database",
  "embedder",
  "evidence/client",
  "language-model",
  "model-providers/index",
  "model-providers/model-provider",
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
  [/^@prometheus-io\//, "functions/checks/promql/"],
  [/^@grafana\//, "functions/checks/logql/"],
  [/^postgres$/, "functions/adapters/evidence/postgres.ts"],
  [/^slack-edge(\/|$)/, "functions/routes/slack/dispatch.ts"],
  [/^@slack\//, "functions/routes/slack/block-kit.ts"],
  [/^ai(\/|$)/, "functions/adapters/ai-sdk-model.ts"],
  [/^(@ai-sdk\/[^/]+|workers-ai-provider)(\/|$)/, "functions/adapters/model-providers/"],
  [/^(@modelcontextprotocol\/sdk|@hono\/mcp)(\/|$)/, "functions/routes/mcp/"],
];

/** The one file that may use the clock, randomness and the environment. */
const COMPOSITION_ROOT = "functions/services.ts";

/** The one file that may use the platform's timers. */
const TIMERS = "functions/timers.ts";

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
  if (file === COMPOSITION_ROOT) return [];
  return impurities.filter((name) => file !== TIMERS || name !== "setTimeout()").map((name) => `${file} uses ${name}`);
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
      if (["process.env", "Date.now", "Math.random", "AbortSignal.timeout"].includes(name)) impurities.push(name);
    },
    FunctionDeclaration: measure,
    FunctionExpression: measure,
    ArrowFunctionExpression: measure,
    NewExpression: (node) => {
      if (dottedName(node.callee) === "Date" && node.arguments.length === 0) impurities.push("new Date()");
    },
    CallExpression: (node) => {
      const name = dottedName(node.callee);
      if (["Date", "setTimeout", "setInterval"].includes(name)) impurities.push(`${name}()`);
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
