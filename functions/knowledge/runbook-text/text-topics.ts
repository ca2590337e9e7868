// The failures that a runbook's text is about, with the roles of their sections.

import { splitFrontMatter } from "../../../lib/markdown/front-matter.ts";
import { parseSections, readSections, type SectionLines } from "../../../lib/markdown/markdown-sections.ts";
import { causeName, type SectionRole, sectionRole } from "../../../lib/markdown/section-role.ts";
import { OVERVIEW, topicsOf } from "../../../lib/markdown/topics.ts";

export interface TextTopics {
  readonly title: string;
  /** In document order; one for a text about one failure, and none for a text without content. */
  readonly topics: readonly TextTopic[];
  /** Sections about none of the topics. The heading is empty above the first one. */
  readonly overview: readonly { readonly line: number; readonly heading: string }[];
}

export interface TextTopic {
  /** Empty for the failure of the title. */
  readonly headingPath: readonly string[];
  /** Empty for the failure of the title. */
  readonly title: string;
  /** Null for the failure of the title. */
  readonly anchor: string | null;
  /** Line of its heading, from 1. */
  readonly line: number;
  readonly roles: readonly SectionRole[];
  /** Roles that an answer uses and none of its sections has. */
  readonly missing: readonly SectionRole[];
}

/** Roles of sections that answers are made of. */
export const WANTED_ROLES: readonly SectionRole[] = ["symptoms", "causes", "confirm", "mitigate"];
const ROLES: readonly SectionRole[] = [...WANTED_ROLES, "prevent"];

/** @param fallbackTitle the title of a text without one */
export function readTextTopics(text: string, fallbackTitle: string): TextTopics {
  const { markdown, linesAbove } = splitFrontMatter(text.replace(/^\uFEFF/, ""));
  const { title, sections } = parseSections(markdown, fallbackTitle);
  const headings = readSections(markdown, fallbackTitle).sections.filter(({ heading }) => heading !== null);
  const decided = topicsOf(sections, title);
  const overview = sections.flatMap(({ headingPath, line }, i) =>
    decided[i] === OVERVIEW ? [{ line: linesAbove + line, heading: headingPath.at(-1) ?? "" }] : [],
  );
  const anchors = new Set(decided.flatMap((topic) => (topic === OVERVIEW ? [] : [topic?.anchor ?? null])));
  const topics = [...anchors].map((anchor): TextTopic => {
    const own = sections.filter((_, i) => decided[i] !== OVERVIEW && (decided[i]?.anchor ?? null) === anchor);
    const { headingPath, title } = decided.find((topic) => topic?.anchor === anchor) ?? OVERVIEW;
    const first = own[0]?.line ?? 1;
    const roles = new Set(own.map(({ headingPath }) => sectionRole(headingPath)));
    // A cause that is a heading alone has no section of its own.
    if (own.some(({ headingPath }) => headingPath.some((_, i) => causeName(headingPath.slice(0, i + 1)))))
      roles.add("causes");
    return {
      headingPath,
      title,
      anchor,
      line: linesAbove + (anchor === null ? titleLine(headings) : headingLine(headings, headingPath, first)),
      roles: ROLES.filter((role) => roles.has(role)),
      missing: WANTED_ROLES.filter((role) => !roles.has(role)),
    };
  });
  return { title, topics, overview };
}

function titleLine(headings: readonly SectionLines[]): number {
  return lineOf(headings.find(({ heading }) => heading?.level === 1)) ?? 1;
}

/** The line of a topic's heading, which may stand above its first section with a text. */
function headingLine(headings: readonly SectionLines[], headingPath: readonly string[], first: number): number {
  const path = headingPath.join("\n");
  const own = headings.findLast((each) => each.line - 1 <= first && each.headingPath.join("\n") === path);
  return lineOf(own) ?? first;
}

function lineOf(section: SectionLines | undefined): number | undefined {
  return section && section.line - 1;
}
