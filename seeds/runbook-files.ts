// Owns how runbook files are read: which folder belongs to which domain, and the front matter above the Markdown.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse as parseYaml } from "yaml";
import { z } from "zod";
import { DOMAIN_NAMES, type DomainName } from "../functions/domains/domain.ts";
import type { Runbook } from "../functions/memory/runbook-ingest.ts";

const frontMatterSchema = z.strictObject({
  incident_type: z
    .string()
    .regex(/^[a-z][a-z0-9_]*$/)
    .optional(),
  tags: z.array(z.string().min(1)).default([]),
});

const FRONT_MATTER = /^---\r?\n([\s\S]*?)\r?\n---\r?\n/;

/** Every runbook below `<directory>/<domain>/`, sorted by name. @throws Error naming the file that cannot be read */
export async function readRunbooks(directory: string): Promise<Record<DomainName, Runbook[]>> {
  const byDomain: Record<DomainName, Runbook[]> = { docker: [], podman: [], kubernetes: [], postgres: [] };
  for (const domain of DOMAIN_NAMES) {
    for (const name of await markdownFiles(join(directory, domain))) {
      const source = `${domain}/${name}`;
      byDomain[domain].push(parseRunbook(source, await readFile(join(directory, domain, name), "utf8")));
    }
  }
  return byDomain;
}

/** Splits front matter from text; its fields become metadata of each chunk. @throws Error naming the source */
export function parseRunbook(source: string, content: string): Runbook {
  const match = FRONT_MATTER.exec(content);
  const parsed = frontMatterSchema.safeParse(match ? readYaml(source, match[1] ?? "") : {});
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `${issue.path.join(".") || "front matter"}: ${issue.message}`);
    throw new Error(`${source}: the front matter is not valid (${faults.join("; ")}).`);
  }
  const { incident_type, tags } = parsed.data;
  return {
    source,
    markdown: match ? content.slice(match[0].length) : content,
    metadata: {
      ...(incident_type !== undefined ? { incident_type } : {}),
      ...(tags.length > 0 ? { tags: tags.join(",") } : {}),
    },
  };
}

function readYaml(source: string, text: string): unknown {
  try {
    return parseYaml(text);
  } catch (error) {
    const fault = error instanceof Error ? error.message : String(error);
    throw new Error(`${source}: the front matter is no YAML (${fault}).`, { cause: error });
  }
}

async function markdownFiles(directory: string): Promise<string[]> {
  try {
    return (await readdir(directory)).filter((name) => name.endsWith(".md")).sort();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}
