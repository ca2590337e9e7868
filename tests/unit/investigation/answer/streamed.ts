// Runs drafts through an answer stream and compares the sent text with the finished answer.

import { expect } from "vitest";
import { parsePartial } from "../../../../functions/adapters/ai-sdk-model.ts";
import { withStorableText } from "../../../../functions/adapters/language-model.ts";
import { createAnswerStream } from "../../../../functions/investigation/answer/answer-stream.ts";
import { createVerifier, type Verifier } from "../../../../functions/investigation/answer/verifier.ts";
import { REMOVED_STATEMENT, verifyDraft } from "../../../../functions/investigation/answer/verify-draft.ts";
import { citableTexts } from "../../../../functions/investigation/evidence/citable-texts.ts";
import { type Draft, draftSchema } from "../../../../functions/investigation/prompts/synthesise.ts";
import { readsAsInstruction } from "../../../../lib/injection/detect-injection.ts";
import { removeLinks } from "../../../../lib/links/remove-links.ts";
import { redact } from "../../../../lib/redaction/redact.ts";
import { recallOf, sampleIncident, samplePastIncident, sampleRunbook, THRESHOLDS } from "../samples.ts";
import { RUNBOOK } from "./verify-draft-samples.ts";

/** A verifier with a runbook that holds the sample commands, and a past fix I2 that holds more. */
export function verifierWith(commands: readonly string[]): Verifier {
  const resolution = commands.map((command) => `\`\`\`\n${command}\n\`\`\``).join("\n\n");
  const incidents = [samplePastIncident("past-1"), samplePastIncident("past-2", { resolution })];
  const recall = recallOf({ runbooks: [sampleRunbook(RUNBOOK)], incidents });
  return createVerifier(sampleIncident(), citableTexts(recall, { RUNBOOK_RECALL_LIMIT: 5 }), THRESHOLDS);
}

export const verifier = verifierWith([]);

export interface Sent {
  readonly path: string;
  readonly text: string;
}

/** The pieces that are sent while the JSON text of a draft arrives in pieces of these lengths. */
export async function stream(
  draft: Draft,
  json: string,
  cuts: readonly number[],
  checker: Verifier = verifier,
): Promise<Sent[]> {
  const sent: Sent[] = [];
  const answer = createAnswerStream(checker, (path, text) => sent.push({ path, text }));
  for (const cut of cuts) {
    const value = await parsePartial(json.slice(0, cut));
    if (value !== undefined) answer.update(value);
  }
  answer.end(draftSchema.parse(withStorableText(draft)));
  return sent;
}

export const everyCut = (json: string) => Array.from({ length: json.length + 1 }, (_, i) => i);

/** Every seventh cut, and the last: for what does not depend on the character at which a text is cut. */
export const someCuts = (json: string) => everyCut(json).filter((cut) => cut % 7 === 0 || cut === json.length);

/** Every cut within the text where the JSON has it first, and its middle in each further place, with the cuts around it. */
export function cutsIn(json: string, text: string): number[] {
  const written = JSON.stringify(text).slice(1, -1);
  const first = json.indexOf(written);
  const cuts = new Set<number>();
  for (let start = first; start !== -1; start = json.indexOf(written, start + written.length)) {
    const end = start + written.length;
    for (const cut of [start - 1, start + Math.floor(written.length / 2), end, end + 1]) cuts.add(cut);
    if (start === first) for (let cut = start; cut < end; cut++) cuts.add(cut);
  }
  return [...cuts].sort((a, b) => a - b);
}

/** The sent text by path. */
export function joined(sent: readonly Sent[]): Map<string, string> {
  const texts = new Map<string, string>();
  for (const { path, text } of sent) texts.set(path, (texts.get(path) ?? "") + text);
  return texts;
}

function isRemoved(text: string): boolean {
  return readsAsInstruction(removeLinks(text.trim(), verifier.links).text);
}

/** The values of an answer by path, such as `confirm.0.text`. */
function leavesOf(value: unknown, path = ""): [string, unknown][] {
  if (typeof value !== "object" || value === null) return [[path, value]];
  return Object.entries(value).flatMap(([key, item]) => leavesOf(item, path === "" ? key : `${path}.${key}`));
}

/** The texts of a draft that read like an instruction. */
function removedTexts(draft: Draft): string[] {
  return leavesOf(draft).flatMap(([, value]) =>
    typeof value === "string" && isRemoved(value) ? [redact(removeLinks(value.trim(), verifier.links).text).text] : [],
  );
}

/** Compares the sent text with the finished answer. */
export function expectKept(written: Draft, sent: readonly Sent[], checker: Verifier = verifier): void {
  const draft = draftSchema.parse(withStorableText(written));
  const { answer } = verifyDraft(draft, checker);
  const finished = new Map(leavesOf(answer));
  for (const [path, text] of joined(sent)) {
    const item = path.slice(0, path.lastIndexOf("."));
    expect([path, finished.get(`${item}.supported`) ?? true]).toEqual([path, true]);
    const final = finished.get(path);
    if (final === REMOVED_STATEMENT || (path === "summary.text" && isRemoved(draft.summary.text))) {
      // The stream stops before a text becomes an instruction.
      const whole = removedTexts(draft).filter((words) => words.startsWith(text));
      expect([path, whole.length > 0, whole.includes(text)]).toEqual([path, true, false]);
    } else {
      expect([path, text]).toEqual([path, typeof final === "string" ? redact(final).text : final]);
    }
  }
  for (const { path, text } of sent) {
    if (/\.(command|undo)$/.test(path)) expect(text).toBe(joined(sent).get(path));
  }
}

export async function expectKeptHoweverCut(
  draft: Draft,
  { json = JSON.stringify(draft), cuts = everyCut }: { json?: string; cuts?: (json: string) => number[] } = {},
): Promise<void> {
  expectKept(draft, await stream(draft, json, cuts(json)));
}

export const pathsOf = (sent: readonly Sent[]) => [...joined(sent).keys()];
