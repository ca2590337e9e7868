// The listed items of a recalled runbook, by the roles of its sections. Pure functions.

import { beginsWithInstruction, isInstruction, ordersLook } from "../../../lib/commands/ordered-change.ts";
import { beginsCommand, stepEffect } from "../../../lib/commands/step-effect.ts";
import { withoutOverlap } from "../../../lib/markdown/chunk-markdown.ts";
import { isFenced } from "../../../lib/markdown/fences.ts";
import { paragraphsOf, splitBlocks } from "../../../lib/markdown/markdown-sections.ts";
import { parseRunbookItems, type RunbookItem, STEP_NUMBER } from "../../../lib/markdown/runbook-items.ts";
import { causeName, FORBIDS, isMixed, type SectionRole, sectionRole } from "../../../lib/markdown/section-role.ts";
import type { SearchDocument } from "../../search-index/search-document.ts";
import type { RecalledRunbook } from "../recall/recall-result.ts";

export interface SectionItem {
  readonly item: RunbookItem;
  readonly section: SearchDocument;
}

/**
 * The items of the sections with a role, in document order. A cause with a heading of its own is one item, and the instructions
 * below it are steps. Where no section has mitigations, the steps of checks that change something mitigate; where none has checks,
 * the steps below "What to do" that look are checks. Where none has either, the steps are the instructions in sections without a role.
 */
export function itemsOf({ sections }: Pick<RecalledRunbook, "sections">, role: SectionRole): SectionItem[] {
  const parts = withoutRepeatedText(sections).map((part) => ({
    ...part,
    role: sectionRole(part.section.headingPath),
    heading: part.section.headingPath.at(-1) ?? "",
  }));
  if (role === "causes") return readCauses(parts);
  const [hasChecks, hasMitigations] = (["confirm", "mitigate"] as const).map((other) =>
    parts.some((part) => part.role === other),
  );
  const isStep = role === "confirm" || role === "mitigate";
  const split = (items: readonly RunbookItem[], otherwise: boolean) =>
    items.filter((item) => (role === "confirm") === isCheck(item, otherwise));
  const itemsIn = ({ role: own, body, heading, section }: (typeof parts)[number]): RunbookItem[] => {
    const { headingPath } = section;
    if (isStep && causeName(headingPath) !== undefined) return split(readInstructions(body, ""), false);
    // Of numbered steps, some check something and others have no role.
    const isNumbered = own === undefined && STEP_NUMBER.test(heading);
    if (isStep && hasChecks && !hasMitigations)
      return own === "confirm" || isNumbered ? split(readSteps(body, heading), true) : [];
    if (isStep && !hasChecks && !hasMitigations)
      return own === undefined ? split(readInstructions(body, heading), false) : [];
    if (isStep && !hasChecks && isMixed(headingPath)) return split(readSteps(body, heading), false);
    if (own !== role) return [];
    return role === "prevent" ? readPrevention(body, heading) : readSteps(body, heading);
  };
  return parts.flatMap((part) => itemsIn(part).map((item) => ({ item, section: part.section })));
}

/** The items of the sections on causes; of a cause with a heading of its own, its name and what is said about it. */
function readCauses(parts: readonly { readonly section: SearchDocument; readonly body: string }[]): SectionItem[] {
  const named = new Set<string>();
  return parts.flatMap(({ section, body }) => {
    const { headingPath } = section;
    const paths = headingPath.map((_, i) => headingPath.slice(0, i + 1)).filter((path) => causeName(path));
    const items = paths.flatMap((path): RunbookItem[] => {
      const key = path.join("\n");
      if (named.has(key)) return [];
      named.add(key);
      const name = causeName(path) ?? "";
      const about =
        path.length < headingPath.length ? [] : paragraphsOf(body).map((paragraph) => paragraph.replace(LIST_ITEM, ""));
      const sentences = [
        /[.!?]$/.test(name) ? name : `${name}.`,
        ...about.filter((text) => text !== name && !beginsWithInstruction(text)),
      ];
      return [{ text: sentences.join(" "), command: null, effect: null, undo: null }];
    });
    const isOwn = sectionRole(headingPath) === "causes" && paths.length === 0;
    return [...items, ...(isOwn ? parseRunbookItems(body) : [])].map((item) => ({ item, section }));
  });
}

/** Under "Do not", each item says so. */
function readPrevention(body: string, heading: string): RunbookItem[] {
  const words = heading.replace(/:$/, "").trim();
  return readSteps(body, heading).map((item) =>
    FORBIDS.test(words) ? { ...item, text: `${words} ${item.text}` } : item,
  );
}

/** @param otherwise whether a step that orders neither a change nor a look is a check */
function isCheck(item: RunbookItem, otherwise: boolean): boolean {
  const effect = stepEffect(item);
  return effect === "read_only" || (effect !== "changes_state" && (otherwise || ordersLook(item.text)));
}

function readSteps(body: string, heading: string): RunbookItem[] {
  return parseRunbookItems(body, { areSteps: true, heading });
}

/** The list items, and the paragraphs that begin with an instruction or lead to a command, with the code below each; else the code below a heading that does. */
function readInstructions(body: string, heading: string): RunbookItem[] {
  const blocks: string[] = [];
  for (const block of splitBlocks(body.split("\n"))) {
    const above = blocks.at(-1);
    if (isFenced(block) && above !== undefined) blocks[blocks.length - 1] = `${above}\n${block}`;
    else blocks.push(block);
  }
  const instructions = blocks.flatMap((block) => {
    const isOrder = LIST_ITEM.test(block) ? isInstruction : beginsWithInstruction;
    return parseRunbookItems(block).filter(
      (item) =>
        STEP_NUMBER.test(item.text) ||
        FIXES.test(item.text) ||
        isOrder(item.text.replace(LINK, "")) ||
        introducesCommand(item),
    );
  });
  const isNamed = instructions.length === 0 && isInstruction(heading.replace(STEP_NUMBER, ""));
  return isNamed ? readSteps(body, heading).filter(({ command }) => command !== null) : instructions;
}

/** Whether a sentence leads to a command, whatever its verb: "Old files can be freed with:" */
function introducesCommand({ text, command }: RunbookItem): boolean {
  return text.endsWith(":") && command !== null && beginsCommand(command);
}

const LIST_ITEM = /^(?:[-*+]|\d{1,3}[.)])\s/;
/** Says what the rest of the sentence is for, whatever its verb: "To fix it, copy the certificate." */
const FIXES = /^to (?:correct|fix|mitigate|recover|remedy|resolve|solve|work around) [^.]{1,60},/i;
/** A link alone is no instruction: "[Read more](…)". */
const LINK = /\[[^\]]{0,200}\]\([^()\s]{0,1000}\)/g;

/** Each section with its text, without what it repeats of the section before it. */
function withoutRepeatedText(
  sections: readonly SearchDocument[],
): { readonly section: SearchDocument; readonly body: string }[] {
  return sections.map((section, i) => {
    const before = sections[i - 1];
    const body = before && continues(section, before) ? withoutOverlap(section.body, before.body) : section.body;
    return { section, body };
  });
}

function continues(section: SearchDocument, before: SearchDocument): boolean {
  const sameSection =
    section.source === before.source && section.headingPath.join("\n") === before.headingPath.join("\n");
  return sameSection && section.chunkIndex === (before.chunkIndex ?? 0) + 1;
}
