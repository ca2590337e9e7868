import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, it } from "vitest";

const ROOT = new URL("../../../../", import.meta.url).pathname;

function read(folder: string, ending: string) {
  const paths = readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" });
  return paths
    .filter((path) => path.endsWith(ending))
    .map((path) => ({ name: basename(path), text: readFileSync(join(ROOT, folder, path), "utf8") }));
}

const sources = ["functions", "cli", "dev"].flatMap((folder) => read(folder, ".ts"));
const sql = read("supabase/migrations", ".sql")
  .map(({ text }) => text)
  .join("\n");
const functions = [
  ...sql.matchAll(/create function public\.(\w+)\(([^;][\s\S]*?)\ncomment on function .* is\s+'(.*)';/g),
].map(([, name = "", body = "", comment = ""]) => ({ name, body, comment }));
const definitions = new Map(functions.map(({ name, body }) => [name, body]));

it("covers every SQL function", () => {
  expect(functions).toHaveLength([...sql.matchAll(/^create function /gm)].length);
});

it.each(functions)("the comment on $name names its callers, which call it", ({ name, comment }) => {
  const callers = /(?:Called by|Trigger of) (.*)\.$/.exec(comment)?.[1];
  expect(callers).toBeDefined();
  for (const caller of callers?.match(/[a-z-]+\.ts|\w+_\w+/g) ?? []) {
    const file = sources.find((source) => source.name === caller && new RegExp(`\\b${name}\\b`).test(source.text));
    const calls = caller.endsWith(".ts") ? file : definitions.get(caller)?.includes(`public.${name}(`);
    expect(calls || isInSchema(name, caller), caller).toBeTruthy();
  }
});

/** Tables, indexes and triggers call functions, too, and `count_rows` those that its triggers name. */
function isInSchema(name: string, caller: string): boolean {
  if (caller === "count_rows") return sql.includes(`count_rows('${name}'`);
  return new RegExp(`create (?:trigger|index)[^;]*\\b${caller}\\b[^;]*public\\.${name}\\(`).test(sql);
}
