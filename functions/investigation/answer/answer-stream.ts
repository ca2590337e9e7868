// Streams an answer while a model writes it. A text is sent only when the finished answer is certain to contain it: its
// citations are valid, its verdict is kept, its command stands in a source, its links and secrets are removed. Candidates
// that are not confirmed are not sent: their order depends on the whole draft. Two exceptions: the beginning of a text that
// turns into an instruction to a model or names a foreign command, and a value that a repeated key replaces, may already have been sent.

import { stepEffect } from "../../../lib/commands/step-effect.ts";
import { readsAsInstruction } from "../../../lib/injection/detect-injection.ts";
import { createLinkFilter } from "../../../lib/links/remove-links.ts";
import { hiddenAddresses } from "../../../lib/redaction/personal/ip-addresses.ts";
import { createStreamScrubber } from "../../../lib/redaction/stream-scrubber.ts";
import { DRAFT_OUTCOMES, type Draft } from "../prompts/synthesise.ts";
import { outcomeOf, type Support, supportOf } from "./cause-support.ts";
import type { Verifier } from "./verifier.ts";
import { cleanText, hasSourcedCommands, MAX_ITEMS, mayShowInCheck, maySummarise, undoText } from "./verify-draft.ts";

export interface AnswerStream {
  /** Takes a partial draft, whose last value may be unfinished. */
  update(draft: unknown): void;
  /** Takes the finished draft. */
  end(draft: Draft): void;
}

/** @param send receives text to append at a path of the answer, such as `summary.text` */
export function createAnswerStream(
  verifier: Verifier,
  send: (path: string, text: string) => void,
  hidesPrivateAddresses = false,
): AnswerStream {
  const fields = new Map<string, Field>();
  let before: ReadonlyMap<string, unknown> = new Map();
  let isBroken = false;
  const advance = (draft: unknown, isFinished: boolean) => {
    const written = collect(draft);
    // A draft that changes written values, for example by a repeated key, cannot be streamed any further.
    isBroken ||= changesWritten(before, written);
    if (isBroken) return;
    for (const { path, text, isOpen } of sendable(readLeaves(written, before, isFinished), verifier)) {
      const field = fields.get(path) ?? createField(verifier, hidesPrivateAddresses);
      fields.set(path, field);
      const out = field.advance(text, isOpen);
      if (out !== "") send(path, out);
    }
    before = written;
  };
  return { update: (draft) => advance(draft, false), end: (draft) => advance(draft, true) };
}

/** Whether a written value changed. The value written last may continue. */
function changesWritten(before: ReadonlyMap<string, unknown>, now: ReadonlyMap<string, unknown>): boolean {
  const last = [...before.keys()].at(-1);
  return [...before].some(([path, value]) => {
    const current = now.get(path);
    if (path !== last) return current !== value;
    if (typeof value !== "string") return false;
    const continues = typeof current === "string" && current.startsWith(value);
    return !continues;
  });
}

interface Field {
  /** Takes the field's text so far; returns what can be sent next. */
  advance(text: string, isOpen: boolean): string;
}

function createField(verifier: Verifier, hidesPrivateAddresses: boolean): Field {
  const links = createLinkFilter(verifier.links);
  const scrubber = createStreamScrubber(hiddenAddresses(hidesPrivateAddresses));
  let takenLength = 0;
  let unlinked = "";
  let releasedLength = 0;
  let isFinished = false;
  return {
    advance(text, isOpen) {
      if (isFinished) return "";
      // Trailing whitespace waits for more text: the finished answer is trimmed.
      const trimmed = text.trim();
      unlinked += links.push(trimmed.slice(takenLength)) + (isOpen ? "" : links.end());
      takenLength = trimmed.length;
      isFinished = !isOpen;
      // Held back, not dropped: text that begins like an instruction may turn out to be none.
      if (readsAsInstruction(unlinked)) return "";
      const out = scrubber.push(unlinked.slice(releasedLength));
      releasedLength = unlinked.length;
      return out + (isOpen ? "" : scrubber.end());
    },
  };
}

/** The scalar values of a draft by path, in the order in which they were written. */
interface Leaves {
  /** A finished text. */
  closed(path: string): string | undefined;
  /** A finished text, or null where the draft has none; undefined while that is open. */
  optional(path: string): string | null | undefined;
  /** A text so far. */
  current(path: string): { readonly text: string; readonly isOpen: boolean } | undefined;
  /** The finished texts of a list. */
  list(path: string): string[];
  /** Number of items of a list, the unfinished one included. */
  count(path: string): number;
  /** Whether another item or value follows an item. */
  isComplete(item: string): boolean;
}

function readLeaves(
  leaves: ReadonlyMap<string, unknown>,
  before: ReadonlyMap<string, unknown>,
  isFinished: boolean,
): Leaves {
  const last = [...leaves.keys()].at(-1);
  // A value is closed when another one follows and it did not change since the last update. The second condition matters
  // for repeated keys: the unfinished value then stands in the place of the first one.
  const isClosed = (path: string) => isFinished || (path !== last && before.get(path) === leaves.get(path));
  const closed = (path: string) => {
    const value = leaves.get(path);
    return typeof value === "string" && isClosed(path) ? value : undefined;
  };
  const count = (path: string) => {
    const indexes = [...leaves.keys()]
      .filter((key) => key.startsWith(`${path}.`))
      .map((key) => Number(key.slice(path.length + 1).split(".", 1)[0]));
    return indexes.length === 0 ? 0 : Math.max(...indexes) + 1;
  };
  return {
    closed,
    optional: (path) => (leaves.get(path) === null && isClosed(path) ? null : closed(path)),
    current(path) {
      const value = leaves.get(path);
      return typeof value === "string" ? { text: value, isOpen: !isClosed(path) } : undefined;
    },
    list: (path) =>
      Array.from({ length: count(path) }, (_, i) => closed(`${path}.${i}`)).filter((text) => text !== undefined),
    count,
    isComplete: (item) => [...leaves.keys()].every((path) => !path.startsWith(`${item}.`) || isClosed(path)),
  };
}

/** A key of the schema, or an index. A foreign key with a dot could be mistaken for a path. */
const PLAIN_KEY = /^[a-z_]+$|^\d+$/;

/** The scalar values by path. */
function collect(value: unknown, path = "", leaves = new Map<string, unknown>()): Map<string, unknown> {
  if (typeof value !== "object" || value === null) return leaves.set(path, value);
  for (const [key, item] of Object.entries(value))
    if (PLAIN_KEY.test(key)) collect(item, path === "" ? key : `${path}.${key}`, leaves);
  return leaves;
}

interface Sendable {
  readonly path: string;
  readonly text: string;
  readonly isOpen: boolean;
}

/** The support of a hypothesis by the parts that are complete. */
function supportSoFar(leaves: Leaves, item: string, showsFailure: boolean, verifier: Verifier): Support {
  if (leaves.closed(`${item}.verdict`) !== "kept") return "none";
  const cause = leaves.closed(`${item}.cause`);
  const citations = verifier.citeForCause(cause, leaves.list(`${item}.citations`));
  return supportOf({ cause, citations }, showsFailure, verifier);
}

/** With a refuted check or a code span, the whole text decides whether it is shown. */
function isSummaryShown(leaves: Leaves, citations: readonly string[], verifier: Verifier): boolean {
  if (!verifier.hasRefutation && !leaves.current("summary.text")?.text.includes("`")) return true;
  const summary = leaves.closed("summary.text");
  if (summary === undefined || verifier.refutationOf(summary)) return false;
  return hasSourcedCommands(summary, citations, verifier);
}

/** The texts that the finished answer is certain to contain, by the rules of verify-draft.ts. */
function* sendable(leaves: Leaves, verifier: Verifier): Generator<Sendable> {
  const items = (list: keyof typeof MAX_ITEMS) =>
    Array.from({ length: Math.min(leaves.count(list), MAX_ITEMS[list]) }, (_, i) => `${list}.${i}`);
  const cited = (item: string) => verifier.cite(leaves.list(`${item}.citations`));
  const foundBy = (item: string) => verifier.citeForStep(leaves.list(`${item}.citations`));
  function* at(from: string, to: string): Generator<Sendable> {
    const value = leaves.current(from);
    if (value) yield { path: to, ...value };
  }
  /** Nobody should copy half a command, so a step is sent in whole texts. */
  const whole = (path: string, text: string): Sendable[] => (text === "" ? [] : [{ path, text, isOpen: false }]);

  /** Null for a withheld command; undefined while it is open or if it stands in no source. */
  const commandOf = (item: string, isCheck: boolean) => {
    const written = leaves.optional(`${item}.command`);
    if (typeof written !== "string") return written;
    if (isCheck && !mayShowInCheck(written)) return null;
    return verifier.isFromSource(written, foundBy(item)) ? written : undefined;
  };
  /** The finished text of a step or a prevention; empty while it is open or if a command in it stands in no source. */
  const sentenceOf = (item: string) => {
    const text = leaves.closed(`${item}.text`) ?? "";
    return hasSourcedCommands(text, foundBy(item), verifier) ? text : "";
  };
  function* step(item: string, to: string, isCheck: boolean): Generator<Sendable> {
    const command = commandOf(item, isCheck);
    const text = sentenceOf(item);
    if (command === undefined || text === "" || (isCheck && isWithheld(item))) return;
    yield* whole(`${to}.text`, text);
    yield* whole(`${to}.command`, command ?? "");
    const rollback = isCheck ? "" : (leaves.closed(`${item}.rollback`) ?? "");
    yield* whole(`${to}.undo`, rollback && undoText(rollback, foundBy(item), verifier));
  }
  /** A check that changes the system, without a cause: by its text and command as the finished answer would have them. */
  const isWithheld = (item: string) => {
    const command = leaves.optional(`${item}.command`) ?? null;
    const shown = command !== null && mayShowInCheck(command) ? cleanText(command, verifier).text : null;
    const { text } = cleanText(leaves.closed(`${item}.text`) ?? "", verifier);
    return claimed === "unknown" && stepEffect({ text, command: shown }) === "changes_state";
  };
  /** Whether the finished answer has a complete item: other items move up for one that it drops. */
  const stays = (list: keyof typeof MAX_ITEMS, item: string) => {
    const citations = foundBy(item);
    if (citations.length === 0 && (list === "look_next" || cited(item).length > 0)) return false;
    return list === "mitigate" || list === "prevention" ? !verifier.isRuledOut(citations) : !isWithheld(item);
  };
  /** The supported items of a list, with their places in the answer; those after an open one have none yet. */
  function* placed(list: keyof typeof MAX_ITEMS): Generator<{ item: string; to: string }> {
    let place = 0;
    for (const item of items(list)) {
      const citations = foundBy(item);
      if (citations.length > 0 && !verifier.isRuledOut(citations)) yield { item, to: `${list}.${place}` };
      if (!leaves.isComplete(item)) return;
      if (stays(list, item)) place += 1;
    }
  }

  const quoted = items("evidence").filter((item) => verifier.reportedQuote(leaves.closed(`${item}.quote`) ?? ""));
  for (const item of quoted) if (cited(item).length > 0) yield* at(`${item}.text`, `${item}.text`);
  const claimed = DRAFT_OUTCOMES.find((outcome) => outcome === leaves.closed("outcome"));
  if (claimed === undefined) return;
  const showsFailure = quoted.some((item) => verifier.showsFailure(leaves.closed(`${item}.quote`) ?? ""));
  const hypotheses = items("hypotheses").map((item) => ({
    item,
    support: supportSoFar(leaves, item, showsFailure, verifier),
  }));
  const outcome = outcomeOf(
    claimed,
    hypotheses.map(({ support }) => support),
  );
  if (outcome === "cause") {
    const causes = hypotheses.filter(({ support }) => support === "cause");
    for (const [i, { item }] of causes.entries()) yield* at(`${item}.cause`, `likely_causes.${i}.text`);
  }
  if (maySummarise(claimed, outcome, foundBy("summary")) && isSummaryShown(leaves, foundBy("summary"), verifier))
    yield* at("summary.text", "summary.text");

  // A claimed cause without support so far may become a candidate, which takes its checks.
  const keepsChecks = outcome === "cause" || claimed === "unknown";
  const isCause = outcome === "cause";
  for (const { item, to } of keepsChecks ? placed("confirm") : []) yield* step(item, to, true);
  for (const { item, to } of isCause ? placed("mitigate") : []) yield* step(item, to, false);
  for (const { item, to } of isCause ? placed("prevention") : []) yield* whole(`${to}.text`, sentenceOf(item));
  // Only if the model claims `unknown`: a claimed cause without support so far may still get it.
  for (const { item, to } of claimed === "unknown" ? placed("look_next") : []) yield* step(item, to, true);
}
