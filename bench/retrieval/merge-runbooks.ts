// `node bench/retrieval/merge-runbooks.ts <folder> <data set> [--headings name|words|number] [--sections 40] [--all]`: builds
// a data set for `npm run bench -- retrieval <folder>` from another one. Half of the runbooks, chosen by a hash of their
// names, become sections of long files, at least one file for each first word of the names; the others stay short files of
// their own. `--all` merges all of them; `--sections 5` makes pages of several topics, as long as people's own.

import { createHash } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { fenceAfter } from "../../lib/markdown/fences.ts";
import { tokenizeWords } from "../../lib/text/tokenize.ts";
import { nameOf, readAlerts, readDataSet } from "./data-set.ts";

/** A smaller group joins the file of the groups without a common word. */
const MIN_SECTIONS = 4;
const REST = "other";

/** `name`: the runbook's name is the heading. `words`: its words are. `number`: a number is, and the text has the name. */
const HEADINGS = {
  name: (name: string) => ({ heading: name, introduction: "" }),
  words: (name: string) => ({
    heading: name.replace(/[_-]+/g, " ").replace(/(?<=[a-z])(?=[A-Z])/g, " "),
    introduction: "",
  }),
  number: (name: string, number: number) => ({
    heading: `Procedure ${number}`,
    introduction: `Alert: \`${name}\`\n\n`,
  }),
} as const;

interface Section {
  /** The runbook that became the section. */
  readonly name: string;
  readonly file: string;
  readonly heading: string;
  readonly markdown: string;
}

await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      headings: { type: "string", default: "name" },
      sections: { type: "string", default: "40" },
      all: { type: "boolean", default: false },
    },
  });
  const [folderArgument, dataSet] = positionals;
  const headingOf = Object.entries(HEADINGS).find(([style]) => style === values.headings)?.[1];
  if (folderArgument === undefined || dataSet === undefined || positionals.length > 2 || headingOf === undefined)
    throw new Error(
      "Give the folder to write to and a data set: node bench/retrieval/merge-runbooks.ts <folder> <data set> [--headings name|words|number] [--sections 40] [--all]",
    );
  const folder = resolve(folderArgument);
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new Error(`${folder} is not empty. Give another folder.`);

  const alertsFile = join(dataSet, "alerts.json");
  const { runbooks } = await readDataSet({ alertsFile, runbooksFolder: join(dataSet, "runbooks") });
  const merged = new Set(runbooks.map(({ source }) => source).filter((source) => values.all || isMerged(source)));
  const files = groupsOf([...merged], Number(values.sections));
  const markdownOf = new Map(runbooks.map(({ source, markdown }) => [source, markdown]));
  const sections = [...files].flatMap(([file, sources]) =>
    sources.map((source, i): Section => {
      const name = nameOf(source);
      const { heading, introduction } = headingOf(name, i + 1);
      const body = withoutTitle(markdownOf.get(source) ?? "");
      return { name, file, heading, markdown: `## ${heading}\n\n${introduction}${belowSection(body)}` };
    }),
  );
  const out = join(folder, "runbooks");
  await mkdir(out, { recursive: true });
  for (const { source, markdown } of runbooks) if (!merged.has(source)) await writeFile(join(out, source), markdown);
  for (const file of files.keys()) {
    const texts = sections.filter((section) => section.file === file).map(({ markdown }) => markdown);
    await writeFile(join(out, `${file}.md`), `# ${file} runbooks\n\n${texts.join("\n\n")}\n`);
  }
  const sectionOf = new Map(sections.map((section) => [section.name, section]));
  const alerts = (await readAlerts(alertsFile)).map((alert) => {
    const section = sectionOf.get(nameOf(alert.runbook));
    return section === undefined ? alert : { ...alert, runbook: section.file, section: section.heading };
  });
  await writeFile(join(folder, "alerts.json"), JSON.stringify(alerts, null, 1));
  console.log(
    `${alerts.length} alerts, ${runbooks.length - merged.size} short runbooks, ${files.size} long ones with ${merged.size} sections. Next: npm run bench -- retrieval ${folder}`,
  );
}

function isMerged(source: string): boolean {
  return createHash("sha256").update(nameOf(source)).digest().readUInt8(0) % 2 === 0;
}

/** The sources of each long file, by the file's name. */
function groupsOf(sources: readonly string[], maxSections: number): Map<string, string[]> {
  const byWord = Map.groupBy(
    sources,
    (source) => tokenizeWords(source).find((word) => /^[a-z]{2,}$/.test(word)) ?? REST,
  );
  const groups = new Map<string, string[]>();
  for (const [word, group] of byWord) {
    const name = group.length < MIN_SECTIONS ? REST : word;
    groups.set(name, [...(groups.get(name) ?? []), ...group]);
  }
  const files = new Map<string, string[]>();
  for (const [name, group] of groups) {
    for (let start = 0; start < group.length; start += maxSections)
      files.set(
        start === 0 ? `All-${name}` : `All-${name}-${start / maxSections + 1}`,
        group.slice(start, start + maxSections),
      );
  }
  return files;
}

/** Without the first line if it is the title: the section's heading takes its place. */
function withoutTitle(markdown: string): string {
  return markdown.trimStart().replace(/^#[ \t].*\n/, "");
}

/** Headings below the section's own. Closes an open code block: it would hide the headings of the next section. */
function belowSection(markdown: string): string {
  let fence: string | undefined;
  const lines = markdown.split("\n").map((line) => {
    fence = fenceAfter(fence, line);
    return fence === undefined ? line.replace(/^#(?=[ \t])/, "##").replace(/^(?=#{2,5}[ \t])/, "#") : line;
  });
  return [...lines, ...(fence === undefined ? [] : [fence])].join("\n");
}
