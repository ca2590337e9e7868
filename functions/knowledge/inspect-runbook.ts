// What Dejavu reads in the text of a runbook, without storing it.

import type { CheckLanguage } from "../../lib/checks/check.ts";
import { parseChecks } from "../../lib/checks/parse-checks.ts";
import { splitFrontMatter } from "../../lib/markdown/front-matter.ts";
import { type SectionRole, sectionRole } from "../../lib/markdown/section-role.ts";
import { type RedactedLine, redactedLines } from "../../lib/redaction/redacted-lines.ts";
import { checkRunbookText, type Finding } from "./runbook-text/check-runbook-text.ts";
import { parseRunbook } from "./runbook-text/parse-runbook.ts";
import { readTextTopics, type TextTopics, WANTED_ROLES } from "./runbook-text/text-topics.ts";
import { fallbackTitle, MAX_CHUNKS, type TextOptions, textDocuments } from "./text-documents.ts";

export interface RunbookInspection {
  readonly title: string;
  readonly incidentType: string | null;
  readonly tags: readonly string[];
  /** In UTF-8. */
  readonly bytes: number;
  readonly chunks: number;
  /** Those with a heading from level 2 down. */
  readonly sections: readonly { readonly line: number; readonly heading: string; readonly role: SectionRole | null }[];
  /** The failures that the text is about. */
  readonly topics: TextTopics["topics"];
  /** Sections about none of several failures. */
  readonly overview: TextTopics["overview"];
  /** Roles that an answer uses and no section with a text has. */
  readonly missing: readonly SectionRole[];
  readonly checks: readonly { readonly line: number; readonly name: string; readonly language: CheckLanguage }[];
  readonly problems: readonly Finding[];
  readonly redactions: readonly RedactedLine[];
}

const MAX_PROBLEMS = 100;
const INCIDENT_TYPE_FIELD = /^incident_type:(.*)$/;
const INCIDENT_TYPE = /^(["']?)[a-z][a-z0-9_]{0,63}\1$/;

/** @param source the name that the runbook would have; its last part is the title of a text without one */
export function inspectRunbook(
  text: string,
  { source, ...options }: TextOptions & { readonly source: string },
): RunbookInspection {
  const bytes = new TextEncoder().encode(text).byteLength;
  const stored = textDocuments({ source, domain: "", kind: "runbook", text, tags: [], isMarkdown: true }, options);
  const sections = parseRunbook(text, bytes).sections.flatMap(({ level, heading, line, path }) =>
    level > 1 && heading !== "" ? [{ line, heading, role: sectionRole(path) ?? null }] : [],
  );
  const { topics, overview } = readTextTopics(text, fallbackTitle(source));
  const { incidentType, tags } = splitFrontMatter(stored.text);
  return {
    title: stored.title,
    incidentType: incidentType ?? null,
    tags,
    bytes,
    chunks: stored.documents.length,
    sections,
    topics,
    overview,
    missing: WANTED_ROLES.filter((role) => topics.every((topic) => topic.missing.includes(role))),
    checks: parseChecks(text).checks.map(({ line, name, language }) => ({ line, name, language })),
    problems: [
      ...checkRunbookText(text, { bytes, name: fallbackTitle(source), checkFields }),
      ...tooManyChunks(stored.documents.length),
    ].slice(0, MAX_PROBLEMS),
    redactions: redactedLines(text, options.redact(text).text).slice(0, MAX_PROBLEMS),
  };
}

/** The fields that the search reads. @param yaml its first line is line 2 of the text */
function checkFields(yaml: string): Finding[] {
  return yaml.split("\n").flatMap((line, i) => {
    const value = INCIDENT_TYPE_FIELD.exec(line)?.[1]?.trim();
    if (value === undefined || INCIDENT_TYPE.test(value)) return [];
    return [{ line: i + 2, message: "incident_type: must be lower-case words joined by underscores" }];
  });
}

function tooManyChunks(chunks: number): Finding[] {
  if (chunks <= MAX_CHUNKS) return [];
  return [
    {
      line: null,
      message: `makes ${chunks} chunks; the limit is ${MAX_CHUNKS}. Join its short sections, or split it.`,
    },
  ];
}
