// Issues of Apache Hadoop in the order of their creation, each with the earlier ones that report the same failure
// (GitBugs, arXiv 2504.09651).

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

export interface Issue {
  readonly id: string;
  readonly createdAt: Date;
  readonly title: string;
  readonly description: string;
  /** Earlier issues of the same group. */
  readonly earlier: ReadonlySet<string>;
  /** The first issue of a group; most issues are in none. */
  readonly isFirst: boolean;
}

const ISSUES = "issues.csv.gz";

/** Null if the folder has no such data. */
export function readIssues(folder: string): Issue[] | null {
  const file = join(folder, ISSUES);
  if (!existsSync(file)) return null;
  const rows = readCsv(gunzipSync(readFileSync(file)).toString())
    .map((row) => ({
      id: row["Issue id"] ?? "",
      createdAt: readTime(row.Created ?? ""),
      title: row.Summary ?? "",
      description: row.Description ?? "",
    }))
    .sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1));
  const pairs = readdirSync(folder)
    .filter((name) => /^duplicates.*\.csv$/.test(name))
    .flatMap((name) => readCsv(readFileSync(join(folder, name), "utf8")))
    .map((row) => [row["Issue id"] ?? "", row["Duplicate id"] ?? ""] as const);
  const groupOf = groups(pairs);
  const members = new Map<string, string[]>();
  return rows.map((row) => {
    const group = groupOf(row.id);
    const earlier = members.get(group) ?? [];
    members.set(group, [...earlier, row.id]);
    const isGrouped = pairs.some((pair) => pair.includes(row.id));
    return { ...row, earlier: new Set(earlier), isFirst: isGrouped && earlier.length === 0 };
  });
}

/** The name of each issue's group: the pairs are edges, a group is what they connect. */
function groups(pairs: readonly (readonly [string, string])[]): (id: string) => string {
  const parents = new Map<string, string>();
  const rootOf = (id: string): string => {
    const parent = parents.get(id);
    return parent === undefined ? id : rootOf(parent);
  };
  for (const [a, b] of pairs) {
    const [rootA, rootB] = [rootOf(a), rootOf(b)];
    if (rootA !== rootB) parents.set(rootA, rootB);
  }
  return rootOf;
}

/** "30/Sep/21 17:20" */
function readTime(text: string): Date {
  const [, day, month, year, time] = /^(\d+)\/(\w+)\/(\d+) ([\d:]+)$/.exec(text) ?? [];
  return new Date(`${day} ${month} 20${year} ${time} UTC`);
}

/** Rows by the names of the columns. A field in quotes may hold line breaks, and doubled quotes. */
function readCsv(text: string): Record<string, string>[] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain = "", end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    row.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === ",") continue;
    if (row.length > 1) rows.push(row);
    row = [];
  }
  const [names = [], ...data] = rows;
  return data.map((values) => Object.fromEntries(names.map((name, i) => [name, values[i] ?? ""])));
}
