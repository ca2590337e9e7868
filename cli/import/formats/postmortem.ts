// Postmortems in Markdown: one file an incident. Its fix is a section such as "Resolution"; its date is in the front matter,
// in the name of the file, or in a line such as "Date: 2025-03-01".

import { parse as parseYaml } from "yaml";
import { frontMatterBlock } from "../../../lib/markdown/front-matter.ts";
import { readSections, type SectionLines } from "../../../lib/markdown/markdown-sections.ts";
import type { ImportFile, ImportFormat, ReadOptions } from "./format.ts";
import { isObject, textAt } from "./json-values.ts";
import type { Original } from "./original.ts";
import { isTime } from "./read-time.ts";

/** Sections that say what ended it, the surest first. */
const FIX_SECTIONS: readonly RegExp[] = [
  /^(?:the )?(?:fix|resolution|solution)\b|\bhow (?:it|this|we|the incident) (?:was |were )?(?:fixed|resolved|solved)\b|\bwhat fixed it\b/i,
  /\b(?:resolution|remediation|recovery|mitigation|workaround)\b/i,
];
/** Sections about later work, or without a symptom. */
const OTHER_SECTIONS =
  /\b(?:action items?|follow[- ]?ups?|learn(?:ed|ings)|went (?:well|wrong)|lucky|timeline|participants|attendees|responders|glossary|references?|prevent\w*|next steps|similar incidents|sign[- ]?off)\b/i;

/** Of a title: what kind of page it is says nothing about the failure. */
const KIND_OF_PAGE = /^(?:post[- ]?mortem|incident (?:report|review)|rca)\s*[:–—-]\s*(?=\S)/i;

export const postmortem: ImportFormat = {
  name: "postmortem",
  system: "postmortems",
  read: (file, options) => (/\.(?:md|markdown|mdx)$/i.test(file.path) ? [incidentOf(file, options)] : null),
};

function incidentOf({ path, text }: ImportFile, { fix }: ReadOptions): Original {
  const content = text.replace(/^\uFEFF/, "");
  const block = frontMatterBlock(content);
  const front = block === undefined ? {} : fieldsOf(block.fields);
  const fields = front ?? {};
  const markdown = block === undefined ? content : content.slice(block.whole.length);
  const fileName = path.slice(path.lastIndexOf("/") + 1).replace(/\.\w+$/, "");
  const { title, sections } = readSections(
    markdown,
    fileName.replace(/^\d{4}-\d\d-\d\d[-_ ]*/, "").replace(/[-_]+/g, " "),
  );
  const fact = (...names: readonly string[]) => textAt(fields, ...names) ?? factIn(markdown, names);
  /** `Start: 14:05 UTC` is a time only beside a date. */
  const time = (...names: readonly string[]) =>
    [...names.map((name) => textAt(fields, name)), ...names.map((name) => factIn(markdown, [name]))].find(
      (text) => text !== null && isTime(text),
    );
  const opened = time("started_at", "start", "started", "incident_start", "detected", "date", "incident_date");
  const dated = opened ?? /(?:^|\D)(\d{4}-\d\d-\d\d)(?!\d)/.exec(path)?.[1] ?? null;
  const fixes = fixSections(sections, fix);
  const described = sections.filter(
    (section) => !fixes.includes(section) && !OTHER_SECTIONS.test(section.headingPath.join(" / ")),
  );
  return {
    id: path,
    title: (textAt(fields, "title") ?? title).replace(KIND_OF_PAGE, ""),
    url: fact("url", "link", "ticket"),
    description: described.map(sectionText),
    target: fact("service", "services", "affected_service", "affected_services", "component", "system", "target"),
    severity: [fact("severity", "sev", "priority", "impact_level")],
    opened: dated,
    resolved: time("resolved_at", "end", "ended", "resolved", "incident_end") ?? dated,
    fix: textAt(fields, "fix", "resolution") ?? fixes.map((section) => bodyOf(section)).join("\n\n"),
    fixedBy: fact("resolved_by", "fixed_by", "incident_commander", "owner", "author", "authors"),
    refusal: front === null ? "has front matter that is no YAML" : /template/i.test(fileName) ? "is a template" : null,
  };
}

/** Null for a text that is no YAML. */
function fieldsOf(text: string): Readonly<Record<string, unknown>> | null {
  let fields: unknown;
  try {
    fields = parseYaml(text);
  } catch {
    return null;
  }
  if (!isObject(fields)) return {};
  const flat = Object.entries(fields).map(([name, value]) => [
    name.toLowerCase().replace(/[\s-]+/g, "_"),
    value instanceof Date ? value.toISOString() : Array.isArray(value) ? value.join(", ") : value,
  ]);
  return Object.fromEntries(flat);
}

/** `**Severity**: high`, `- Date: 2025-03-01`, `| Service | checkout |`. */
function factIn(markdown: string, names: readonly string[]): string | null {
  for (const name of names) {
    const words = name.replaceAll("_", "[ _-]");
    const line = new RegExp(
      `^[ \\t]*(?:[-*|][ \\t]*)?(?:\\*\\*|__)?${words}(?:\\*\\*|__)?[ \\t]*(?::|\\|)(?:\\*\\*|__)?[ \\t]*([^|\\n]{1,200})`,
      "im",
    );
    const value = line.exec(markdown)?.[1]?.replace(/[*_`]/g, "").trim();
    if (value !== undefined && value !== "") return value;
  }
  return null;
}

/** The sections with the surest name, with those below them. */
function fixSections(sections: readonly SectionLines[], named: string | null): readonly SectionLines[] {
  const isNamed = (heading: string) => heading.trim().toLowerCase() === named?.trim().toLowerCase();
  const rules = named === null ? FIX_SECTIONS.map((rule) => (heading: string) => rule.test(heading)) : [isNamed];
  for (const rule of rules) {
    const matching = sections.filter(
      (section) =>
        section.headingPath.some((heading) => rule(heading)) &&
        (named !== null || !OTHER_SECTIONS.test(section.headingPath.join(" / "))) &&
        bodyOf(section) !== "",
    );
    if (matching.length > 0) return matching;
  }
  return [];
}

function bodyOf({ lines }: SectionLines): string {
  return lines.join("\n").trim();
}

function sectionText(section: SectionLines): string {
  const body = bodyOf(section);
  if (body === "") return "";
  const heading = section.headingPath.at(-1);
  return heading === undefined ? body : `${heading}: ${body}`;
}
