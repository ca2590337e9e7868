// The log events of the sources, and their table in docs/reference/log-events.md.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type ESTree, parseSync, Visitor } from "vite";
import { LOG_LEVELS, type LogLevel } from "../../functions/telemetry/log.ts";

export interface LogEvent {
  readonly event: string;
  readonly levels: readonly string[];
  /** Sorted; "…" for what is only known when it runs. */
  readonly fields: readonly string[];
}

/** The calls of the log in a file, and what cannot be read of them, in words. */
export function logCalls(file: string, text: string): { readonly events: LogEvent[]; readonly faults: string[] } {
  const events: LogEvent[] = [];
  const faults: string[] = [];
  new Visitor({
    CallExpression(node) {
      const name = nameOf(node.callee);
      if (name.startsWith("console.")) faults.push(`${file} writes to the console by itself`);
      if (!/(^|\.)(log|startLog)$/.test(name) || name === "Math.log") return;
      const [level, event, fields] = node.arguments;
      const levels = levelsOf(level, text);
      if (levels.length === 0 || event?.type !== "Literal" || typeof event.value !== "string") {
        faults.push(`${file} logs ${text.slice(node.start, node.end)}: level and event must be there to read`);
        return;
      }
      events.push({ event: event.value, levels, fields: fieldsOf(fields) });
    },
  }).visit(parseSync(file, text).program);
  return { events, faults };
}

/** One row for each event, with all levels and fields of its calls. */
function merged(events: readonly LogEvent[]): LogEvent[] {
  const names = [...new Set(events.map(({ event }) => event))].sort();
  return names.map((name) => {
    const calls = events.filter(({ event }) => event === name);
    const levels = new Set(calls.flatMap((call) => call.levels));
    return {
      event: name,
      levels: LOG_LEVELS.filter((level) => levels.has(level)),
      fields: [...new Set(calls.flatMap(({ fields }) => fields))].sort(),
    };
  });
}

/** Every event that the Worker logs, by name. @param projectDir the checkout */
export function loggedEvents(projectDir: string): LogEvent[] {
  const files = readdirSync(join(projectDir, "functions"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith("telemetry/log.ts"))
    .map((name) => `functions/${name.replaceAll("\\", "/")}`);
  return merged(files.flatMap((file) => logCalls(file, readFileSync(join(projectDir, file), "utf8")).events));
}

/** Also of `a ? "info" : "error"`, and of a name that such an expression was given to in the same file. */
function levelsOf(level: ESTree.Argument | ESTree.Expression | undefined, text: string): LogLevel[] {
  if (level === undefined) return [];
  if (level.type === "ConditionalExpression")
    return [level.consequent, level.alternate].flatMap((each) => levelsOf(each, text));
  if (level.type === "Literal") return LOG_LEVELS.filter((logLevel) => logLevel === level.value);
  if (level.type !== "Identifier") return [];
  const [, chosen = ""] = new RegExp(`const ${level.name} = [^;]*\\? ([^;]*);`).exec(text) ?? [];
  return LOG_LEVELS.filter((logLevel) => chosen.includes(`"${logLevel}"`));
}

function fieldsOf(fields: ESTree.Argument | undefined): string[] {
  if (fields === undefined) return [];
  if (fields.type !== "ObjectExpression") return ["…"];
  return fields.properties.map((property) =>
    property.type === "Property" && property.key.type === "Identifier" ? property.key.name : "…",
  );
}

function nameOf(node: ESTree.Expression): string {
  if (node.type === "Identifier") return node.name;
  if (node.type !== "MemberExpression" || node.property.type !== "Identifier") return "";
  return `${nameOf(node.object)}.${node.property.name}`;
}

const MEANING_IN_ROW = /^\| `([^`]+)` \|[^|]*\| ?(.*?) ?\|$/gm;

/**
 * The table of the page. Events and levels come from the sources; the meaning is written on the page and kept.
 * @param page the present page, for the meanings @param projectDir the checkout @throws Error for an event without a meaning
 */
export function logEventsTable(page: string, projectDir: string): string {
  const meanings = new Map([...page.matchAll(MEANING_IN_ROW)].map(([, event = "", meaning = ""]) => [event, meaning]));
  const rows = loggedEvents(projectDir).map(({ event, levels }) => {
    const meaning = meanings.get(event);
    if (!meaning) throw new Error(`docs/reference/log-events.md needs a row for ${event} that says what it means.`);
    return `| \`${event}\` | ${levels.join(", ")} | ${meaning} |`;
  });
  return ["| event | level | meaning |", "|---|---|---|", ...rows, ""].join("\n");
}
