// `dejavu runbooks export`: writes the stored runbooks as skills of an agent, one folder with a SKILL.md each.

import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { readFileIfExists, writeFileAtomic } from "../../../dev/stack/system/atomic-file.ts";
import { frontMatterBlock } from "../../../lib/markdown/front-matter.ts";
import { callFor } from "../../service/client.ts";
import { CommandError, EXIT_CODES } from "../../service/command-error.ts";
import type { Service } from "../../service/find-service.ts";
import type { Invocation } from "../../service/invocation.ts";
import { runbookPath } from "../../service/runbook-source.ts";

export interface ExportOptions {
  readonly skills: string;
  readonly domain?: string;
  readonly force?: boolean;
}

const pageSchema = z.object({
  runbooks: z.array(z.object({ source: z.string() })),
  next_cursor: z.string().nullable(),
});
const runbookSchema = z.object({
  source: z.string(),
  title: z.string(),
  text: z.string().nullable(),
  sections: z.array(z.object({ heading: z.string(), text: z.string() })),
});
export type ExportedRunbook = z.infer<typeof runbookSchema>;

/** The limits of agents. */
const MAX_NAME = 64;
const MAX_DESCRIPTION = 1_024;
const PAGE = "100";
const FILE_MODE = 0o644;

export async function exportSkills({ options, cli }: Invocation<ExportOptions>): Promise<void> {
  const { skills: folder, domain, force = false } = options;
  const service = await cli.service();
  const names = new Set<string>();
  const written: string[] = [];
  const kept: string[] = [];
  for (const source of await sourcesOf(service, domain)) {
    cli.progress(source);
    const runbook = await callFor(service, { path: runbookPath(source) }, runbookSchema);
    const name = skillName(source, names);
    const file = join(folder, name, "SKILL.md");
    const text = skillOf(name, runbook);
    const before = readFileIfExists(file);
    // Somebody may have changed it.
    if (before !== undefined && before !== text && !force) kept.push(file);
    else if (before !== text) await write(file, text);
    if (!kept.includes(file)) written.push(file);
  }
  cli.progress("");
  for (const file of kept) cli.note(`${file} has another text and is left as it is. --force replaces it.`);
  const report = { written, kept };
  cli.print(
    options.json
      ? JSON.stringify(report)
      : `${written.length === 1 ? "1 skill is" : `${written.length} skills are`} in ${folder}.`,
  );
  if (kept.length > 0) cli.exitWith(EXIT_CODES.failed);
}

async function sourcesOf(service: Service, domain: string | undefined): Promise<string[]> {
  const sources: string[] = [];
  let cursor: string | undefined;
  do {
    const query = { limit: PAGE, domain, cursor };
    const page = await callFor(service, { path: "/v1/runbooks", query }, pageSchema);
    sources.push(...page.runbooks.map(({ source }) => source));
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return sources;
}

/** `postgres/slots/full.md` becomes `postgres-slots-full`; a number is added to a name that is in use. */
export function skillName(source: string, names: Set<string>): string {
  const base =
    source
      .replace(/\.\w+$/, "")
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .slice(0, MAX_NAME)
      .replace(/^-|-$/g, "") || "runbook";
  let name = base;
  for (let i = 2; names.has(name); i++) name = `${base.slice(0, MAX_NAME - 4)}-${i}`;
  names.add(name);
  return name;
}

/** The skill: its description is the title with the first paragraph, by which agents choose it. */
export function skillOf(name: string, { title, text, sections }: ExportedRunbook): string {
  const parts = sections.map((section) =>
    section.heading === "" ? section.text : `## ${section.heading}\n\n${section.text}`,
  );
  const whole = text ?? [`# ${title}`, ...parts].join("\n\n");
  const body = whole.slice(frontMatterBlock(whole)?.whole.length ?? 0).trim();
  const paragraph = body.split(/\r?\n\s*\r?\n/).find((each) => !/^\s*(?:#|```|<!--|\||[-*] |\d+\. )/.test(each)) ?? "";
  const sentence = `${title.trim().replace(/[.:]$/, "")}. ${paragraph}`.replace(/\s+/g, " ").trim();
  const description =
    sentence.length > MAX_DESCRIPTION ? `${sentence.slice(0, MAX_DESCRIPTION - 1).toWellFormed()}…` : sentence;
  // A JSON string is a YAML string, too.
  return `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n\n${body}\n`;
}

async function write(file: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true });
    writeFileAtomic(file, text, FILE_MODE);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new CommandError("failed", `${file} cannot be written (${code}).`, { cause: error });
  }
}
