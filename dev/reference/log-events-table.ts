// The table of docs/reference/log-events.md. Events, levels and fields come from the sources; the meaning is written on the
// page and kept.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { logCalls, merged } from "./log-calls.ts";

const ROW = /^\| `([^`]+)` \|[^|]*\|[^|]*\| ?(.*?) ?\|$/gm;

/** @param page the present page, for the meanings @param projectDir the checkout @throws Error for an event without a meaning */
export function logEventsTable(page: string, projectDir: string): string {
  const meanings = new Map([...page.matchAll(ROW)].map(([, event = "", meaning = ""]) => [event, meaning]));
  const files = readdirSync(join(projectDir, "functions"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith("telemetry/log.ts"))
    .map((name) => `functions/${name.replaceAll("\\", "/")}`);
  const events = merged(files.flatMap((file) => logCalls(file, readFileSync(join(projectDir, file), "utf8")).events));
  const rows = events.map(({ event, levels, fields }) => {
    const meaning = meanings.get(event);
    if (!meaning) throw new Error(`docs/reference/log-events.md needs a row for ${event} that says what it means.`);
    return `| \`${event}\` | ${levels.join(", ")} | ${fields.join(", ")} | ${meaning} |`;
  });
  return ["| event | level | fields | meaning |", "|---|---|---|---|", ...rows, ""].join("\n");
}
