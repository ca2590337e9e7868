// Owns what leaves of an answer while it is being written. A text leaves only once it is certain that the finished
// answer will hold it: its citations are known and good, its verdict is kept, its links and secrets are out. Only of a
// text that turns into an instruction to a model its beginning may have left, and what a draft takes back by a second key.

import { readsAsInstruction } from "../../guardrails/injection/detect-injection.ts";
import { createLinkFilter } from "../../guardrails/links/remove-links.ts";
import { createStreamScrubber } from "../../guardrails/redaction/stream-scrubber.ts";
import type { Draft } from "../prompts/synthesise.ts";
import type { Verifier } from "./verifier.ts";
import { isCarried, MAX_ITEMS, mayShowInCheck, maySummarise, outcomeOf } from "./verify-draft.ts";

export interface AnswerStream {
  /** Takes the draft as far as it has come: the values so far, of which the last one may be unfinished. */
  update(draft: unknown): void;
  /** Takes the finished draft. */
  finish(draft: Draft): void;
}

/** @param send gets what is to be appended at a path of the answer, such as `summary.text` */
export function createAnswerStream(verifier: Verifier, send: (path: string, text: string) => void): AnswerStream {
  const fields = new Map<string, Field>();
  let before: ReadonlyMap<string, unknown> = new Map();
  let isBroken = false;
  const advance = (draft: unknown, isFinished: boolean) => {
    const written = collect(draft);
    // A draft that takes back what it has written, as by a key that comes twice, cannot be told from its beginning.
    isBroken ||= takesBack(before, written);
    if (isBroken) return;
    for (const { path, text, isOpen } of speakable(readLeaves(written, before, isFinished), verifier)) {
      const field = fields.get(path) ?? createField(verifier);
      fields.set(path, field);
      const out = field.advance(text, isOpen);
      if (out !== "") send(path, out);
    }
    before = written;
  };
  return { update: (draft) => advance(draft, false), finish: (draft) => advance(draft, true) };
}

/** Whether something changed that was written already; what was written last may go on. */
function takesBack(before: ReadonlyMap<string, unknown>, now: ReadonlyMap<string, unknown>): boolean {
  const last = [...before.keys()].at(-1);
  return [...before].some(([path, value]) => {
    const current = now.get(path);
    if (path !== last) return current !== value;
    const goesOn = typeof value === "string" && typeof current === "string" && current.startsWith(value);
    return typeof value === "string" ? !goesOn : false;
  });
}

interface Field {
  /** Takes the field's text so far; gives out what may be added to what has left. */
  advance(text: string, isOpen: boolean): string;
}

function createField(verifier: Verifier): Field {
  const links = createLinkFilter(verifier.links);
  const scrubber = createStreamScrubber();
  let taken = 0;
  let unlinked = "";
  let released = 0;
  let isOver = false;
  return {
    advance(text, isOpen) {
      if (isOver) return "";
      // Blanks at the end wait for what follows: the finished answer has none there.
      const trimmed = text.trim();
      unlinked += links.push(trimmed.slice(taken)) + (isOpen ? "" : links.end());
      taken = trimmed.length;
      isOver = !isOpen;
      // Held, not dropped: what begins like an instruction may go on as something else.
      if (readsAsInstruction(unlinked)) return "";
      const out = scrubber.push(unlinked.slice(released));
      released = unlinked.length;
      return out + (isOpen ? "" : scrubber.end());
    },
  };
}

/** The values of a draft that are no objects, by path, in the order in which they were written. */
interface Leaves {
  /** A text that is written to its end. */
  closed(path: string): string | undefined;
  /** A text as far as it has come. */
  current(path: string): { readonly text: string; readonly isOpen: boolean } | undefined;
  /** The texts of a list, those written to their end. */
  list(path: string): string[];
  /** How many items of a list have begun. */
  count(path: string): number;
}

function readLeaves(
  leaves: ReadonlyMap<string, unknown>,
  before: ReadonlyMap<string, unknown>,
  isFinished: boolean,
): Leaves {
  const last = [...leaves.keys()].at(-1);
  // Over is what is not the last, and has not changed since the last look: where a key comes twice, the half-written
  // value stands in the place of the first.
  const isOver = (path: string) => isFinished || (path !== last && before.get(path) === leaves.get(path));
  const closed = (path: string) => {
    const value = leaves.get(path);
    return typeof value === "string" && isOver(path) ? value : undefined;
  };
  const count = (path: string) => {
    const indexes = [...leaves.keys()]
      .filter((key) => key.startsWith(`${path}.`))
      .map((key) => Number(key.slice(path.length + 1).split(".", 1)[0]));
    return indexes.length === 0 ? 0 : Math.max(...indexes) + 1;
  };
  return {
    closed,
    current(path) {
      const value = leaves.get(path);
      return typeof value === "string" ? { text: value, isOpen: !isOver(path) } : undefined;
    },
    list: (path) =>
      Array.from({ length: count(path) }, (_, i) => closed(`${path}.${i}`)).filter((text) => text !== undefined),
    count,
  };
}

/** A key of ours, or an index; a foreign key with a dot could be taken for a path. */
const PLAIN_KEY = /^[a-z_]+$|^\d+$/;

/** The values that are no objects, by path. */
function collect(value: unknown, path = "", leaves = new Map<string, unknown>()): Map<string, unknown> {
  if (typeof value !== "object" || value === null) return leaves.set(path, value);
  for (const [key, item] of Object.entries(value))
    if (PLAIN_KEY.test(key)) collect(item, path === "" ? key : `${path}.${key}`, leaves);
  return leaves;
}

interface Speakable {
  readonly path: string;
  readonly text: string;
  readonly isOpen: boolean;
}

/** The texts that the finished answer will hold for certain; the rules are verify-draft.ts's own. */
function* speakable(leaves: Leaves, verifier: Verifier): Generator<Speakable> {
  const items = (list: keyof typeof MAX_ITEMS) =>
    Array.from({ length: Math.min(leaves.count(list), MAX_ITEMS[list]) }, (_, i) => `${list}.${i}`);
  const cited = (item: string) => verifier.cite(leaves.list(`${item}.citations`));
  function* at(from: string, to: string): Generator<Speakable> {
    const value = leaves.current(from);
    if (value) yield { path: to, ...value };
  }
  /** Half a command must not be copied, so it leaves in one piece. */
  function* whole(from: string, to: string): Generator<Speakable> {
    const text = leaves.closed(from);
    if (text !== undefined) yield { path: to, text, isOpen: false };
  }

  function* check(item: string): Generator<Speakable> {
    yield* at(`${item}.text`, `${item}.text`);
    if (mayShowInCheck(leaves.closed(`${item}.command`) ?? "")) yield* whole(`${item}.command`, `${item}.command`);
  }

  const signs = items("evidence").filter((item) => verifier.isReported(leaves.closed(`${item}.quote`) ?? ""));
  for (const item of signs) if (cited(item).length > 0) yield* at(`${item}.text`, `${item}.text`);

  const claimed = leaves.closed("outcome");
  if (claimed !== "cause" && claimed !== "benign" && claimed !== "unknown") return;
  const hypotheses = items("hypotheses").map((item) => {
    const isKept = leaves.closed(`${item}.verdict`) === "kept";
    return { item, verdict: isKept && isCarried(cited(item), signs.length > 0, verifier) ? "kept" : "" };
  });
  const outcome = outcomeOf(claimed, signs.length > 0, hypotheses);
  if (outcome === "cause") {
    const kept = hypotheses.filter(({ verdict }) => verdict === "kept");
    for (const [i, { item }] of kept.entries()) yield* at(`${item}.cause`, `likely_causes.${i}.text`);
  }
  if (maySummarise(claimed, outcome, cited("summary"))) yield* at("summary.text", "summary.text");

  const supported = (list: keyof typeof MAX_ITEMS) => items(list).filter((item) => cited(item).length > 0);
  for (const item of supported("confirm")) yield* check(item);
  for (const item of outcome === "cause" ? supported("mitigate") : []) {
    yield* at(`${item}.text`, `${item}.text`);
    yield* whole(`${item}.command`, `${item}.command`);
    yield* whole(`${item}.rollback`, `${item}.undo`);
  }
  for (const item of outcome === "cause" ? supported("prevention") : []) yield* at(`${item}.text`, `${item}.text`);
  // Not where a claim is only not yet carried: what carries it may still come.
  for (const item of claimed === "unknown" ? supported("look_next") : []) yield* check(item);
}
