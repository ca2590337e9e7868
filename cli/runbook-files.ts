// Reads a folder of runbooks: one subfolder per domain, with Markdown files that may have YAML front matter.

import { readdir, readFile, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { parse as parseYaml } from "yaml";
import { z } from "zod";
import type { Runbook } from "../functions/knowledge/sync-runbooks.ts";
import { DOMAIN_NAMES, type DomainName } from "../functions/schemas/domain.ts";

const frontMatterSchema = z.strictObject({
  incident_type: z
    .string()
    .regex(/^[a-z][a-z0-9_]*$/)
    .optional(),
  tags: z.array(z.string().min(1)).default([]),
});

const EXPECTED_LAYOUT = `Put runbooks as Markdown files into one folder per domain: ${DOMAIN_NAMES.map((name) => `${name}/`).join(", ")}.`;

const FRONT_MATTER = /^---\r?\n([\s\S]*?)\r?\n---\r?\n/;

/**
 * Reads every Markdown file at any depth below `<directory>/<domain>/`, sorted by name. Skips files directly in the
 * directory, and files and folders whose name starts with a dot.
 * @throws Error when the directory has the wrong layout, or a file is not readable or not valid; the message names it
 */
export async function readRunbooks(directory: string): Promise<Record<DomainName, Runbook[]>> {
  const byDomain: Record<DomainName, Runbook[]> = { docker: [], podman: [], kubernetes: [], postgres: [] };
  for (const domain of await domainFolders(directory)) {
    for (const name of await markdownFiles(join(directory, domain))) {
      const source = `${domain}/${name}`;
      byDomain[domain].push(parseRunbook(source, await readFile(join(directory, domain, name), "utf8")));
    }
  }
  if (Object.values(byDomain).every((runbooks) => runbooks.length === 0))
    throw new Error(`${directory} holds no runbooks. ${EXPECTED_LAYOUT}`);
  return byDomain;
}

/**
 * Splits the front matter from the Markdown. Its fields become metadata of every chunk of the runbook.
 * @throws Error when the front matter is not valid; the message names the source
 */
export function parseRunbook(source: string, content: string): Runbook {
  const match = FRONT_MATTER.exec(content);
  const parsed = frontMatterSchema.safeParse(match ? readYaml(source, match[1] ?? "") : {});
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join(".") || "front matter"}: ${issue.message}`);
    throw new Error(`${source}: the front matter is not valid (${problems.join("; ")}).`);
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
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${source}: the front matter is not YAML (${reason}).`, { cause: error });
  }
}

/**
 * Returns the domains that have a subfolder.
 * @throws Error when a subfolder has another name: its runbooks would be skipped without notice
 */
async function domainFolders(directory: string): Promise<DomainName[]> {
  const folders = await folderNames(directory);
  const unknown = folders.filter((name) => !isDomainName(name));
  if (unknown.length > 0) {
    const list = unknown.map((name) => `${name}/`).join(", ");
    throw new Error(`${directory} has folders that belong to no domain: ${list}. ${EXPECTED_LAYOUT}`);
  }
  return DOMAIN_NAMES.filter((name) => folders.includes(name));
}

async function folderNames(directory: string): Promise<string[]> {
  try {
    const names = (await readdir(directory)).filter((name) => !name.startsWith("."));
    // `stat` follows symbolic links, so a link to a folder counts as a folder. Directory entries would not.
    const areFolders = await Promise.all(names.map(async (name) => (await stat(join(directory, name))).isDirectory()));
    return names.filter((_, i) => areFolders[i]).sort();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT") throw new Error(`${directory} does not exist.`, { cause: error });
    if (code === "ENOTDIR") throw new Error(`${directory} is no folder. ${EXPECTED_LAYOUT}`, { cause: error });
    throw error;
  }
}

function isDomainName(name: string): name is DomainName {
  return DOMAIN_NAMES.some((domain) => domain === name);
}

/** Returns sorted paths relative to the directory, separated by slashes on every platform. */
async function markdownFiles(directory: string): Promise<string[]> {
  const paths = (await readdir(directory, { recursive: true })).map((path) => path.replaceAll(sep, "/"));
  return paths.filter((path) => path.endsWith(".md") && !`/${path}`.includes("/.")).sort();
}
