// Orders to a model in languages other than English: a word for its instructions, with a verb that drops or reveals them and a word
// that says which, all within a few words. Each alone is ordinary: servers ignore errors, and statements are instructions.

import { foldCharacters } from "./fold-text.ts";
import type { InjectionCategory } from "./injection-category.ts";
import { LANGUAGES } from "./languages.ts";
import { MORE_LANGUAGES, MORE_VERBS, MORE_WITHOUT_BOUNDARIES } from "./more-languages.ts";

/** Characters before and after the word for instructions. */
const WINDOW = 60;
/** Occurrences that are checked in one text. */
const MAX_OCCURRENCES = 100;
/** Scripts without blanks between words, or with endings that `\p{L}*` covers. */
const WITHOUT_BOUNDARIES = new Set(["zh", "ja", "ko", "hi", "ar", ...MORE_WITHOUT_BOUNDARIES]);

const BEYOND_ASCII = /[^\x20-\x7e\s]/;

const RULES = Object.entries({ ...LANGUAGES, ...MORE_LANGUAGES }).map(([name, language]) => {
  const pattern = (words: string, flags = "u") => {
    // Text is folded before it is compared, so the words are, too. Escapes of a pattern stay.
    const folded = words
      .split(/(\\p\{L\}(?:[*+]|\{1,20\})|[\\()|?:[\]!^$,*+-])/)
      .map((part, i) => (i % 2 === 1 ? part : part.replace(/[^ ]+/g, (word) => foldCharacters(word).toLowerCase())))
      .join("");
    const source = WITHOUT_BOUNDARIES.has(name) ? folded : `(?<!\\p{L})(?:${folded})(?!\\p{L})`;
    return new RegExp(source, flags);
  };
  return {
    isLatin: /[a-z]{3}/.test(language.objects),
    objects: pattern(language.objects, "gu"),
    drops: pattern(language.drops),
    which: pattern(language.which),
    reveals: language.reveals === undefined ? null : pattern(language.reveals),
    roles: language.roles === undefined ? null : pattern(language.roles),
  };
});

/** A system prompt in any language: revealing it needs no word that says which. */
const SYSTEM_PROMPT =
  /system-?prompt|systeemprompt|prompt (?:del?|do|di) sistema|prompt systeme|системн\p{L}+ промпт|系统提示|系統提示|システムフロンフト|시스템 프롬프트|sistem istem|sistem prompt/u;

export interface ForeignOrder {
  readonly category: InjectionCategory;
  readonly matched: string;
  /** Of its first character. */
  readonly index: number;
}

/** The first order in a text. @param folded text in folded form and in lower case */
export function detectOtherLanguage(folded: string): ForeignOrder | null {
  for (const order of ordersInOtherLanguages(folded)) return order;
  return null;
}

/** The orders in a text, language by language. @param folded as for `detectOtherLanguage` */
export function* ordersInOtherLanguages(folded: string): Generator<ForeignOrder> {
  if (!MAY_BE_OTHER_LANGUAGE.test(folded)) return;
  const isAscii = !BEYOND_ASCII.test(folded);
  for (const { isLatin, objects, drops, which, reveals, roles } of RULES) {
    if (isAscii && !isLatin) continue;
    const role = roles?.exec(folded);
    if (role) yield { category: "role_play", matched: role[0], index: role.index };
    let count = 0;
    for (const { 0: object, index } of folded.matchAll(objects)) {
      if (count === MAX_OCCURRENCES) break;
      count += 1;
      const start = Math.max(0, index - WINDOW);
      const window = folded.slice(start, index + object.length + WINDOW);
      const selector = which.exec(window);
      if (selector === null) continue;
      const drop = drops.exec(window);
      const reveal = drop === null && SYSTEM_PROMPT.test(window) ? reveals?.exec(window) : null;
      const verb = drop ?? reveal;
      if (!verb) continue;
      const [from, to] = spanOf([selector, verb, { 0: object, index: index - start }]);
      const matched = window.slice(from, to);
      yield { category: drop ? "ignore_instructions" : "prompt_leaking", matched, index: start + from };
    }
  }
}

function spanOf(parts: readonly { readonly 0: string; readonly index: number }[]): [number, number] {
  return [
    Math.min(...parts.map(({ index }) => index)),
    Math.max(...parts.map(({ 0: text, index }) => index + text.length)),
  ];
}

/** Quick check on folded text in lower case: letters beyond ASCII, or the beginning of one of the words above. */
const WORDS =
  /[^ -~]|instruc|indicacion|ordenes|directri|regla|consign|directiv|regle|ordres|anweis|instrukt|instrukc|regeln|vorgaben|befehle|richtlin|prompt|instruc|ordens|diretri|regras|orientac|istruz|direttiv|regole|indicaz|ordini|instructies|opdracht|regels|aanwijz|polece|zasady|wytyczn|regul|talimat|komut|yonerge|kural|istem|eres |ahora|tu es |vous etes|du bist|ab jetzt|ab sofort|von nun an|verhalte|tu so|voce|agora|ora sei|adesso|agisci|comportati|d'ora|je bent|vanaf nu|doe alsof|gedraag|jestes|od teraz|udawaj|artik|simdi|bundan|davran|actua como|desormais|a partir|finge|finja|aja como|agis |agissez|comporte|handle wie|antworte/;
export const MAY_BE_OTHER_LANGUAGE = new RegExp([WORDS.source, ...MORE_VERBS].join("|"));
