// Judges by the form of a pattern whether it matches ordinary words. Pure functions.

import type { AST } from "@eslint-community/regexpp";

/** Letters and digits in a row that a pattern has to name: as a whole word, at the start of one, or inside one. */
const LEAST = { whole: 3, start: 4, inside: 5 };
/** A class of two characters, such as `[sz]`, is nearly as narrow as one of them. */
const MAX_CLASS = 2;

export const TOO_WIDE = `matches ordinary words: require a whole word of ${LEAST.whole} letters or digits (\\bwal\\b), the first ${LEAST.start} of a word (\\bkube) or ${LEAST.inside} in a row, in each alternative`;

/** Literal characters in a row. */
interface Run {
  /** Its letters, digits and underscores. */
  readonly size: number;
  /** Whether a word starts where it starts. */
  readonly startsWord: boolean;
  /** Whether it has a character that ordinary words have not, such as the underscore of `pg_`. */
  readonly isIdentifier: boolean;
}

/** Whether the edge of a word is at the left and at the right. */
interface Edges {
  readonly left: boolean;
  readonly right: boolean;
}

/** Whether every way through the pattern has to match enough literal characters in a row. */
export function isNarrow(
  alternatives: readonly AST.Alternative[],
  edges: Edges = { left: false, right: false },
): boolean {
  return alternatives.every(({ elements }) => isNarrowSequence(elements, edges));
}

function isNarrowSequence(elements: readonly AST.Element[], { left, right }: Edges): boolean {
  let run: Run = { size: 0, startsWord: left, isIdentifier: false };
  for (const [i, element] of elements.entries()) {
    const literal = literalOf(element);
    if (literal !== null) run = extended(run, literal);
    // `oom[- ]?kill` is one word.
    else if (!isOptionalSeparator(element)) {
      if (isLongEnough(run, startsWithEdge(elements.slice(i), right))) return true;
      const isAtEdge = run.size === 0 && run.startsWord;
      const group = element.type === "Quantifier" && element.min > 0 ? element.element : element;
      const edges = { left: isAtEdge, right: startsWithEdge(elements.slice(i + 1), right) };
      if (isGroup(group) && isNarrow(group.alternatives, edges)) return true;
      run = { size: 0, startsWord: endsWithEdge(element, isAtEdge), isIdentifier: false };
    }
  }
  return isLongEnough(run, right);
}

function extended({ size, startsWord, isIdentifier }: Run, literal: string): Run {
  if (isWordCharacter(literal))
    return { size: size + 1, startsWord, isIdentifier: isIdentifier || !isLetterOrDigit(literal) };
  return { size, startsWord: startsWord || size === 0, isIdentifier: size > 0 };
}

function isLongEnough({ size, startsWord, isIdentifier }: Run, endsWord: boolean): boolean {
  if (!startsWord) return size >= LEAST.inside;
  return size >= (isIdentifier || endsWord ? LEAST.whole : LEAST.start);
}

function startsWithEdge(elements: readonly AST.Element[], right: boolean): boolean {
  const [first, ...rest] = elements;
  if (first === undefined) return right;
  if (first.type !== "Quantifier") return isEdge(first, (all) => startsWithEdge(all, false));
  if (first.min > 0) return startsWithEdge([first.element], false);
  // An optional ending, such as a plural.
  return first.max === 1 && isLiteral(first.element) && startsWithEdge(rest, right);
}

function endsWithEdge(element: AST.Element, isAtEdge: boolean): boolean {
  if (element.type === "Quantifier") return endsWithEdge(element.element, false) && (element.min > 0 || isAtEdge);
  return isEdge(element, (all) => all.slice(-1).some((last) => endsWithEdge(last, false)));
}

function isEdge(element: AST.Element, ofSequence: (elements: readonly AST.Element[]) => boolean): boolean {
  if (isGroup(element)) return element.alternatives.every(({ elements }) => ofSequence(elements));
  if (element.type === "Assertion") return element.kind === "word" ? !element.negate : isEndOfText(element);
  return charactersOf(element)?.every((character) => !isWordCharacter(character)) ?? false;
}

function isEndOfText({ kind }: AST.Assertion): boolean {
  return kind === "start" || kind === "end";
}

function isGroup(element: AST.Element): element is AST.Group | AST.CapturingGroup {
  return element.type === "Group" || element.type === "CapturingGroup";
}

function isOptionalSeparator(element: AST.Element): boolean {
  if (element.type !== "Quantifier" || element.min > 0 || element.max > 1) return false;
  return charactersOf(element.element)?.every((character) => !isLetterOrDigit(character)) ?? false;
}

function isLiteral(element: AST.Element): boolean {
  return isGroup(element)
    ? element.alternatives.every(({ elements }) => elements.every(isLiteral))
    : literalOf(element) !== null;
}

/** The character that an element matches, or the first of a narrow class; null for white space and anything else. */
function literalOf(element: AST.Element): string | null {
  const [first, ...others] = charactersOf(element) ?? [];
  if (first === undefined || others.length >= MAX_CLASS) return null;
  const isSame = others.every((other) => isWordCharacter(other) === isWordCharacter(first));
  return isSame && ![first, ...others].some((character) => /\s/.test(character)) ? first : null;
}

/** The characters that an element matches one of; null if it is none that lists them. */
function charactersOf(element: AST.Element | AST.CharacterClassElement): string[] | null {
  if (element.type === "Character") return [String.fromCodePoint(element.value)];
  if (element.type === "CharacterSet") return element.kind === "space" && !element.negate ? [" "] : null;
  if (element.type !== "CharacterClass" || element.negate) return null;
  const lists = element.elements.map(charactersOf);
  return lists.some((list) => list === null) ? null : lists.flatMap((list) => list ?? []);
}

function isWordCharacter(character: string): boolean {
  return /[\p{L}\p{N}_]/u.test(character);
}

function isLetterOrDigit(character: string): boolean {
  return /[\p{L}\p{N}]/u.test(character);
}
