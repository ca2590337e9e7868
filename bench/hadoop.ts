// `npm run bench -- hadoop [<folder>]`: whether memory finds the earlier report of the same failure, written by another person.
// Each issue of Apache Hadoop is asked when only earlier ones are known: the title is the headline, the description the log.
// Ranked in this process by the product's own functions. `--half train|held_out` asks half of the groups.

import { createHash } from "node:crypto";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { renderTable } from "../cli/table.ts";
import { dot } from "../lib/embedding/word-vectors.ts";
import { tokenize } from "../lib/text/tokenize.ts";
import { type Issue, readIssues } from "./hadoop/issues.ts";
import { createProcessMemory } from "./support/process-memory.ts";
import { createWordIndex } from "./support/word-index.ts";

const DEFAULT_FOLDER = join(import.meta.dirname, "../../shared/bench/hadoop");
const WITHIN = [1, 5, 10];
const MOST = Math.max(...WITHIN);
const WIDTH = 120;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { half: { type: "string" } },
});
const folder = resolve(positionals[0] ?? DEFAULT_FOLDER);
const issues = readIssues(folder);
if (issues === null)
  console.error(`There is no issues.csv.gz in ${folder}. Give a folder with the Hadoop data of GitBugs.`);
else await measure(issues);

async function measure(issues: readonly Issue[]): Promise<void> {
  const memory = await createProcessMemory(MOST);
  const { embedder, config } = memory.services;
  const ofTitles = createWordIndex();
  const ofTexts = createWordIndex();
  const vectors = new Map<string, Float32Array>();
  const issueOf = new Map<string, string>();
  const ranks = new Map<string, number[]>();
  const firstShown: number[] = [];
  const add = (ranking: string, ids: readonly string[], { earlier }: Issue) => {
    const place = ids.findIndex((id) => earlier.has(id));
    ranks.set(ranking, [...(ranks.get(ranking) ?? []), place === -1 ? Number.POSITIVE_INFINITY : place + 1]);
  };
  for (const [i, issue] of issues.entries()) {
    if (process.stderr.isTTY) process.stderr.write(`\r${i + 1} of ${issues.length} issues`);
    const { id, title, description } = issue;
    const text = `${title}\n${description}`;
    const vector = Float32Array.from((await embedder.embed([title]))[0] ?? []);
    const incident = memory.incidentOf({ title, logs: description }, issue.createdAt);
    if (isAsked(issue)) {
      const nearest = [...vectors]
        .map(([other, its]) => [other, dot(vector, its)] as const)
        .sort((a, b) => b[1] - a[1]);
      const { incidents: recalled } = await memory.recall(incident);
      const shown = recalled.filter(({ relevance }) => relevance.probability >= config.POSSIBLE_THRESHOLD);
      if (issue.isFirst) firstShown.push(shown.length);
      else {
        const idsOf = (hits: readonly { readonly id: string }[]) => hits.map((hit) => hit.id);
        add("BM25 of the title", idsOf(ofTitles.search(tokenize(title), MOST)), issue);
        add("BM25 of title and text", idsOf(ofTexts.search(tokenize(text), MOST)), issue);
        add(
          "vectors of the title",
          nearest.slice(0, MOST).map(([other]) => other),
          issue,
        );
        add(
          "memory, shipped",
          recalled.map(({ hit }) => issueOf.get(hit.observation.id) ?? ""),
          issue,
        );
        add(
          "memory, shown as possible",
          shown.map(({ hit }) => issueOf.get(hit.observation.id) ?? ""),
          issue,
        );
      }
    }
    ofTitles.add(id, title);
    ofTexts.add(id, text);
    vectors.set(id, vector);
    issueOf.set(await memory.store(incident, null), id);
  }
  if (process.stderr.isTTY) process.stderr.write("\r\x1b[2K");
  print(ranks, firstShown, issues.length);
}

/** An issue of a group. The half is that of the group's first issue, so that a group is in one half. */
function isAsked({ id, earlier, isFirst }: Issue): boolean {
  if (!isFirst && earlier.size === 0) return false;
  const [first = id] = earlier;
  const isHeldOut = (createHash("sha256").update(first).digest()[0] ?? 0) % 2 === 1;
  return options.half === undefined || options.half === (isHeldOut ? "held_out" : "train");
}

function print(ranks: ReadonlyMap<string, readonly number[]>, firstShown: readonly number[], count: number): void {
  const questions = ranks.values().next().value?.length ?? 0;
  const rows = [...ranks].map(([ranking, places]) => [
    ranking,
    ...WITHIN.map((limit) => (places.filter((place) => place <= limit).length / places.length).toFixed(3)),
  ]);
  const header = ["the same failure is among the first", ...WITHIN.map(String)];
  console.log(
    renderTable(header, rows, { width: process.stdout.columns ?? WIDTH, color: process.stdout.isTTY ?? false }),
  );
  const silent = firstShown.filter((shown) => shown === 0).length;
  console.log(
    `\n${count} issues, ${questions} with an earlier report. For the first report of a group, nothing is shown as possible in ${silent} of ${firstShown.length}.`,
  );
}
