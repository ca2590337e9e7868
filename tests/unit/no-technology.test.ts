// Technologies are data: the code and the SQL name none, except where the name itself is what the code is about.

import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { SHIPPED_DOMAINS } from "../support/domains.ts";

const ROOT = new URL("../../", import.meta.url);

/** Domains whose names are everyday words, or Dejavu's own. */
const NO_TECHNOLOGY = new Set(["general", "host", "application", "dejavu"]);

const MAIN_WORDS = [
  ...["k8s", "kubectl", "kubelet", "helm", "dockerd", "dockerfile", "valkey", "zookeeper", "mariadb", "innodb"],
  ...["psql", "pgbouncer", "mongodb", "elasticsearch", "cassandra", "memcached", "etcd", "coredns", "aws", "gcp"],
];
const TECHNOLOGIES = [
  ...SHIPPED_DOMAINS.map(({ name }) => name).filter((name) => !NO_TECHNOLOGY.has(name)),
  ...MAIN_WORDS,
];

/** Files that may name technologies. A path that ends in a slash covers the files below it. */
const EXCEPTIONS: readonly { readonly path: string; readonly reason: string }[] = [
  { path: "lib/commands/", reason: "a command is verified by the name of its program" },
  { path: "lib/redaction/", reason: "formats of secrets bear the name of their issuer" },
  { path: "lib/injection/", reason: "requests to run a command name its program" },
  { path: "lib/links/", reason: "the schemes of connection strings are no links" },
  { path: "lib/pseudonyms/", reason: "the names of public software are no names to hide" },
  { path: "functions/adapters/evidence/", reason: "one vendor a file, by the kind of the source" },
  { path: "lib/checks/", reason: "the languages of checks" },
  { path: "functions/investigation/live/", reason: "the labels and objects of a cluster" },
  {
    path: "lib/markdown/check-item.ts",
    reason: "the language of checks that is named so, and its program",
  },
  { path: "functions/schemas/evidence/", reason: "the kinds of sources of evidence, and their languages" },
  { path: "functions/incidents/webhooks/", reason: "examples of the API document" },
  { path: "functions/memory/memory-lists.ts", reason: "examples of the API document" },
  { path: "functions/routes/", reason: "examples of the API document, and of domains in descriptions of tools" },
];

async function filesIn(folder: string, ending: string): Promise<(readonly [file: string, text: string])[]> {
  const names = await readdir(fileURLToPath(new URL(folder, ROOT)), { recursive: true });
  const files = names.map((name) => folder + name.replaceAll("\\", "/")).filter((name) => name.endsWith(ending));
  return Promise.all(files.sort().map(async (file) => [file, await readFile(new URL(file, ROOT), "utf8")] as const));
}

/**
 * The technologies that a line names, also within an identifier. `Postgres` with a capital, PostgreSQL and PostgREST are
 * Dejavu's own database.
 */
function technologiesIn(line: string): string[] {
  const text = line.replace(/Postgres\b|PostgreSQL|PostgREST|[Pp]ostgrest/g, "");
  return TECHNOLOGIES.filter((name) =>
    new RegExp(isDistinct(name) ? name : `(?<![a-z])${name}(?![a-z])`, "i").test(text),
  );
}

/** Short names occur in other words: `aws` in `draws`, `redis` in `redistribute`. */
function isDistinct(name: string): boolean {
  return name.length > 5;
}

const sources = [
  ...(await filesIn("functions/", ".ts")),
  ...(await filesIn("lib/", ".ts")),
  ...(await filesIn("lib/mechanisms/", ".json")),
  ...(await filesIn("supabase/migrations/", ".sql")),
];
const lines = sources.flatMap(([file, text]) =>
  text.split("\n").map((line, i) => ({ file, place: `${file}:${i + 1}`, technologies: technologiesIn(line) })),
);
const naming = lines.filter(({ technologies }) => technologies.length > 0);
const isIn = (path: string, file: string) => file.startsWith(path);

describe("the code and the SQL", () => {
  it("name no technology", () => {
    const findings = naming.filter(({ file }) => !EXCEPTIONS.some(({ path }) => isIn(path, file)));
    expect(findings.map(({ place, technologies }) => `${place} names ${technologies.join(", ")}`)).toEqual([]);
  });

  it("list technologies nowhere but where their commands, secrets and addresses are recognised", () => {
    const listing = naming.filter(({ technologies }) => technologies.length > 2);
    expect(listing.filter(({ file }) => !isIn("lib/", file)).map(({ place }) => place)).toEqual([]);
  });

  it.each(EXCEPTIONS)("name one in $path: $reason", ({ path }) => {
    expect(naming.some(({ file }) => isIn(path, file))).toBe(true);
  });
});

describe("technologiesIn", () => {
  it.each([
    ["const isDocker = true;", ["docker"]],
    ["// As in `kubectl get`.", ["kubectl"]],
    ['if (domain === "postgres") {', ["postgres"]],
    ["create table mysql_hosts", ["mysql"]],
  ])("finds those of %j", (line, technologies) => {
    expect(technologiesIn(line)).toEqual(technologies);
  });

  it.each([
    "// Postgres cannot store NUL.",
    'database: "PostgreSQL"',
    "redistributes",
    "draws",
    "overwhelm",
    "the host",
  ])("finds none in %j", (line) => {
    expect(technologiesIn(line)).toEqual([]);
  });
});
