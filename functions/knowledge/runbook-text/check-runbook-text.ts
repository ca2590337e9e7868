// Problems of a runbook's text that need no service, each with its line.

import { parseChecks } from "../../../lib/checks/parse-checks.ts";
import { commandEffect } from "../../../lib/commands/command-effect.ts";
import { effectOfCommands, inlineCommands } from "../../../lib/commands/step-effect.ts";
import { isAlertName } from "../../../lib/markdown/alert-name.ts";
import { parseRunbookItems, type RunbookItem } from "../../../lib/markdown/runbook-items.ts";
import { sectionRole } from "../../../lib/markdown/section-role.ts";
import { BOUNDARY, type ParsedRunbook, parseRunbook } from "./parse-runbook.ts";

/** Something to correct in a text. */
export interface Finding {
  /** From 1; null for the whole text. */
  readonly line: number | null;
  readonly message: string;
}

/** To add a check, write a function and add it here. */
const CHECKS: readonly ((runbook: ParsedRunbook) => Finding[])[] = [
  checkSize,
  checkEmptySections,
  checkConfirmCommands,
];

/** Bytes of a text in UTF-8. */
export const MAX_DOCUMENT_BYTES = 524_288;
export const EMPTY: Finding = { line: null, message: "is empty." };

interface CheckOptions {
  readonly bytes: number;
  readonly name: string;
  readonly checkFields: (yaml: string) => readonly Finding[];
}

/**
 * The problems of a runbook, by line.
 * @param name of the file, without its ending; the title of a text without one
 * @param checkFields reads the fields of closed front matter: its lines without the delimiters, the first of which is line 2
 */
export function checkRunbookText(text: string, { bytes, name, checkFields }: CheckOptions): Finding[] {
  const runbook = parseRunbook(text, bytes);
  const findings = [
    ...checkFrontMatter(runbook, checkFields),
    ...checkTitle(runbook, name),
    ...CHECKS.flatMap((check) => check(runbook)),
    ...parseChecks(text).problems,
  ];
  return findings.sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
}

export function checkSize({ bytes }: ParsedRunbook): Finding[] {
  if (bytes <= MAX_DOCUMENT_BYTES) return [];
  return [{ line: null, message: `has ${bytes} bytes; the limit is ${MAX_DOCUMENT_BYTES}. Split it.` }];
}

export function checkFrontMatter(
  { frontMatter }: Pick<ParsedRunbook, "frontMatter">,
  checkFields: (yaml: string) => readonly Finding[],
): readonly Finding[] {
  if (frontMatter === null) return [];
  if (!frontMatter.isClosed) return [{ line: 1, message: `the front matter has no end: close it with ${BOUNDARY}.` }];
  return frontMatter.format === "yaml" ? checkFields(frontMatter.fields) : [];
}

/** A file whose name has several words, such as `disk-full` or `KubeJobFailed`, has a title. */
function checkTitle({ sections }: ParsedRunbook, name: string): Finding[] {
  const isNamed = isAlertName(name) || /[^\s_-][\s_-]{1,3}[^\s_-]/.test(name);
  const isTitled = isNamed || sections.some(({ level, heading }) => level === 1 && heading !== "");
  if (isEmpty({ sections })) return [EMPTY];
  return isTitled ? [] : [{ line: 1, message: 'has no title. Begin with "# " and the failure in a few words.' }];
}

export function isEmpty({ sections }: Pick<ParsedRunbook, "sections">): boolean {
  return sections.every(({ lines, level }) => level === 0 && lines.every((line) => line.trim() === ""));
}

function checkEmptySections({ sections }: ParsedRunbook): Finding[] {
  return sections.flatMap(({ level, heading, line, lines, hasImage }, i) => {
    const hasText = hasImage || lines.some((each) => each.trim() !== "");
    const hasChildren = (sections[i + 1]?.level ?? 0) > level;
    if (level === 0 || hasText || hasChildren) return [];
    return [{ line, message: `the section "${heading}" is empty. Fill or remove it.` }];
  });
}

/** Holds checks and mitigations by its name. */
const TROUBLESHOOTING = /\btroubleshoot/i;

/** Answers show the steps of such a section as checks, which must not change anything. */
function checkConfirmCommands({ sections }: ParsedRunbook): Finding[] {
  return sections
    .filter(({ path }) => sectionRole(path) === "confirm" && !path.some((heading) => TROUBLESHOOTING.test(heading)))
    .flatMap(({ heading, line, lines }) =>
      parseRunbookItems(lines.join("\n"), { areSteps: true }).flatMap((step) => {
        // The query of an evidence check is validated as what it is.
        const item = step.check ? { ...step, command: null } : step;
        if (effectOfCommands(item) !== "changes_state") return [];
        const first = changingText(item);
        const fenced = lines.findIndex((each) => each.trim() === first);
        const offset = fenced === -1 ? lines.findIndex((each) => each.includes(first)) : fenced;
        const message = `"${first}" changes state, and "${heading}" holds checks. Move it to a section of mitigations; if it only reads, mark the step (read-only).`;
        return [{ line: line + 1 + Math.max(offset, 0), message }];
      }),
    );
}

/** The first line of what changes state in a step: its command, one in its sentence, or the sentence itself. */
function changingText({ text, command, effect }: RunbookItem): string {
  const inline = inlineCommands(text).find((each) => each.effect === "changes_state")?.command;
  const isFenced = command !== null && (inline === undefined || commandEffect(command) === "changes_state");
  const changing = isFenced ? command : (inline ?? (effect === null ? "" : text));
  return (changing.split("\n")[0] ?? "").trim();
}
