// Owns which folder of functions/ may import what, and the check of it. Pure; layers.test.ts runs it over the sources.

import { posix } from "node:path";
import { type ESTree, parseSync, Visitor } from "vite";

export interface Import {
  readonly specifier: string;
  /** Gone at run time. */
  readonly typeOnly: boolean;
}

export interface Source {
  readonly imports: readonly Import[];
  /** What makes a run depend on its surroundings: the clock, chance, the environment. */
  readonly impurities: readonly string[];
}

interface Arrow {
  /** A file, or a folder with a slash at its end; from the root of the project. */
  readonly to: string;
  readonly typesOnly?: boolean;
}

const DATABASE_TYPES: Arrow = { to: "supabase/database-types.ts", typesOnly: true };
/** What an isolate keeps in mind is bounded in one way everywhere. */
const BOUNDED: Arrow = { to: "functions/bounded-map.ts" };
/** What travels with a request is written where it begins, and read where it is told of. */
const WORK_CONTEXT: Arrow = { to: "functions/telemetry/request-context.ts" };
const OUTSIDE: Arrow = { to: "functions/dependencies.ts" };
const VECTOR_STORE: Arrow = { to: "functions/adapters/vector-store.ts" };
const LANGUAGE_MODEL: Arrow = { to: "functions/adapters/language-model.ts" };
// It is handed on to where a vote is posted.
const ANNOTATIONS: Arrow = { to: "functions/adapters/annotations.ts", typesOnly: true };
// A step asks it as others ask a language model.
const RERANKER: Arrow = { to: "functions/adapters/reranker.ts", typesOnly: true };
const ALERT: readonly Arrow[] = [{ to: "functions/schemas/alert.ts" }, { to: "functions/schemas/incident.ts" }];
const SPAN_EXPORTER: Arrow = { to: "functions/adapters/span-exporter.ts", typesOnly: true };
const EVERYTHING: Arrow = { to: "functions/" };

function folders(...names: readonly string[]): Arrow[] {
  return names.map((name) => ({ to: `functions/${name}/` }));
}

function types(...names: readonly string[]): Arrow[] {
  return names.map((name) => ({ to: `functions/${name}`, typesOnly: true }));
}

/** For each folder and each file at the top: what it may import of ours, beside its own folder. */
export const ARROWS: Readonly<Record<string, readonly Arrow[]>> = {
  "functions/retrieval/": [],
  "functions/domains/": [],
  "functions/commands/": [],
  "functions/guardrails/": folders("retrieval"),
  // What of a text is text is told in one way everywhere.
  "functions/alerts/": [...folders("domains"), { to: "functions/retrieval/text/plain-text.ts" }, ...ALERT],
  "functions/stores/": [DATABASE_TYPES, BOUNDED],
  // A reply of the database is read in one way everywhere.
  "functions/access/": [...folders("stores", "guardrails"), BOUNDED, { to: "functions/adapters/rpc-result.ts" }],
  "functions/memory/": folders("domains", "retrieval", "stores", "guardrails"),
  // Whatever a span says is scrubbed.
  "functions/tracing/": [...folders("guardrails"), OUTSIDE, SPAN_EXPORTER, WORK_CONTEXT],
  "functions/triage/": [
    ...folders("memory", "domains", "commands", "retrieval", "guardrails", "tracing"),
    ...types("config.ts", "log.ts"),
    OUTSIDE,
    VECTOR_STORE,
    LANGUAGE_MODEL,
    RERANKER,
    ANNOTATIONS,
    WORK_CONTEXT,
  ],
  "functions/jobs/": [...folders("memory", "triage", "tracing"), WORK_CONTEXT],
  "functions/routes/": [
    ...folders("access", "alerts", "triage", "memory", "domains", "jobs"),
    OUTSIDE,
    ...types("services.ts"),
  ],
  "functions/background-tasks.ts": types("log.ts", "triage/services.ts"),
  "functions/bounded-map.ts": [],
  "functions/config.ts": [{ to: "functions/telemetry/log.ts" }],
  "functions/telemetry/log.ts": [WORK_CONTEXT],
  // The open span travels with the work.
  "functions/telemetry/request-context.ts": types("tracing/"),
  "functions/app.ts": [EVERYTHING],
  "functions/index.ts": [EVERYTHING],
  "functions/services.ts": [EVERYTHING, { to: "package.json" }],
};

/** Packages that only some files know. */
const PACKAGES: readonly (readonly [name: RegExp, owner: string])[] = [
  [/^chromadb(\/|$)/, "functions/adapters/chroma.ts"],
  [/^@supabase\//, "functions/adapters/database.ts"],
  [/^@opentelemetry\//, "functions/adapters/otlp-exporter.ts"],
  [/^@arizeai\//, "functions/tracing/"],
  [/^slack-edge(\/|$)/, "functions/routes/slack/dispatch.ts"],
  [/^@slack\//, "functions/routes/slack/block-kit.ts"],
  [/^(ai|@ai-sdk\/[^/]+|workers-ai-provider)(\/|$)/, "functions/adapters/ai-sdk-model.ts"],
  [/^(@modelcontextprotocol\/sdk|@hono\/mcp)(\/|$)/, "functions/routes/mcp/"],
];

/** The one file that may touch clock, chance and environment. */
const COMPOSITION_ROOT = "functions/services.ts";

/** What is wrong with a file's imports, in words; empty where nothing is. */
export function crossings(file: string, imports: readonly Import[]): string[] {
  const layer = Object.keys(ARROWS).find((name) => covers(name, file));
  if (layer === undefined) return [`${file} lies in no known layer`];
  return imports.flatMap(({ specifier, typeOnly }) => {
    if (!specifier.startsWith(".")) {
      const foreign = PACKAGES.find(([name, owner]) => name.test(specifier) && !covers(owner, file));
      return foreign ? [`${file} imports ${specifier}, which only ${foreign[1]} may`] : [];
    }
    const target = posix.join(posix.dirname(file), specifier);
    if (covers(layer, target)) return [];
    const arrows = (ARROWS[layer] ?? []).filter(({ to }) => covers(to, target));
    if (arrows.length === 0) return [`${file} imports ${target}`];
    return typeOnly || arrows.some(({ typesOnly }) => !typesOnly)
      ? []
      : [`${file} imports ${target} for more than its types`];
  });
}

/** Which of a file's impurities it may not have, in words. */
export function impurities(file: string, found: readonly string[]): string[] {
  return file === COMPOSITION_ROOT ? [] : found.map((what) => `${file} uses ${what}`);
}

function covers(place: string, file: string): boolean {
  return place.endsWith("/") ? file.startsWith(place) : file === place;
}

/** Reads every import and every impurity of a TypeScript file. @throws Error on a file that cannot be parsed */
export function readSource(file: string, text: string): Source {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors.map(({ message }) => message).join("; ")}`);
  const imports: Import[] = [];
  const found: string[] = [];
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
      if (["process.env", "Date.now", "Math.random"].includes(name)) found.push(name);
    },
    NewExpression: (node) => {
      if (dottedName(node.callee) === "Date" && node.arguments.length === 0) found.push("new Date()");
    },
    CallExpression: (node) => {
      if (dottedName(node.callee) === "Date") found.push("Date()");
    },
  }).visit(program);
  if (imports.some(({ specifier }) => /^(node:)?process$/.test(specifier))) found.push("node:process");
  return { imports, impurities: found };
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
