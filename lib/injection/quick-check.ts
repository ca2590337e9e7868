// Quick checks before the patterns, in one pass over a line: most lines of a log end here.

import { createKeywordAutomaton } from "../text/keyword-automaton.ts";
import { requiredWords } from "../text/required-words.ts";
import { MAY_HIDE_TEXT, mayBeEncoded } from "./decode-escapes.ts";

/** Words and signs of orders: every pattern needs one of these, or a common word with the next one. */
const STEMS = [
  "regardless|irrespective|no matter|only acceptable|repeat after|nothing else|nothing more|always |blame|_note|final answer",
  "</|content of|contents of|value of|values of|render|display|embed|encode|there are no|the rest of|become|transform into",
  "turn into|recommend|suggest|propose|<!-- |trusted|<invoke|above|refuse any|refuse a |refuse this|refuse my|refuse to",
  "developer|verified|in character|call yourself|instruc|prompt|directive|guideline|guidance|guardrail|ignor|disregard",
  "forget|discard|dismiss|neglect|bypass|skip over|skip all|skip the|attention|heed|obey|listen to|listen only|comply",
  "overrid|overrul|supersed|outrank|precedence|set aside|put aside|leave aside|take no notice|blind eye|throw away|abandon",
  "unlearn|overlook|you|assistant|llm|chatbot|language model|ai agent|ai model|ai:|ai,|ai |gpt|claude|gemini|copilot|dejavu",
  "triage|pretend|imagine|persona|roleplay|role-play|role play|jailb|anything now|unrestrict|unfilter|uncensor|censor",
  "ethical|moral|safety|content polic|content filter|content moderation|alter ego|act as|act like|behave|simulate|suppose",
  "from now|from here|from this|two responses|two answers|twice|confidence|outcome|exfil|credential|token and|tokens and",
  "password|env |secrets|api key|private key|env vars|environment variables|conversation|chat history|<|start_|<end_",
  'inst]|sys>|_tools]|untrusted|antml|system-reminder|"role|\'role|role:|role=|role =|role":|[system|[assistant|[admin|[developer',
  "```|~~~|{%|{{|human:|human :|system:|system :|system message|system note|system notice|admin message|###|## |# system|![",
  "nothing above|none of |no text|nothing |above this|before this|false positive|false alarm|tool_result|tool_use|to=functions",
  "vtaber|cebzcg|vafgehpgvba|qvfertneq|nffvfgnag|erongi|drager|tpmorp|noitcurtsni|tnatsissa",
  // German and Romance languages; others have letters beyond ASCII.
  "anweis|instrukt|regeln|vorgaben|befehle|richtlin|du bist|ab jetzt|ab sofort|von nun an|verhalte|tu so|handle wie|antworte",
  "indicacion|ordenes|directri|regla|regle|regra|regol|istruz|consigne|eres |ahora|ora sei|ora in poi|desormais|voce |actua como|finge|aja como|agis comme|comportati",
].flatMap((line) => line.split("|"));

/** Common words that order something only together with the next one. */
const WITH_THE_NEXT_WORD = new RegExp(
  [
    "(?<![a-z])(?:repl(?:y|ies)|responds?|answers?|outputs?|say|prints?|states?|reports?|claims?|concludes?|writes?|asserts?|declares?|announces?|tell|inform|assure|advise|returns?|end|finish|begin|start)(?: (?:your|with|only|just|exactly|solely|nothing|instead|always|never|in|as|to|the|that|all|everything|there|this|it|no|benign|resolved|healthy|severity|confidence|user|operator|on)| ?[\"“'{:])",
    "(?<![a-z])(?:mark|classify|treat|label|flag|close|rate|score|categori[sz]e|consider|grade|report) (?:this|these)",
    "(?:enter|enable|activate|switch|engage|unlock|go|turn on)[^.]{0,30} mode|mode (?:activated|enabled|engaged|on)",
    "(?:[-=*#]{3}) ?(?:end|start|begin|new)|(?<![a-z])end (?:of )?(?:the )?(?:log|report|data|input|evidence|transcript|document|context|alert)",
    "\\b(?:cite|dan|stan)\\b|(?:disable|turn off|deactivate|switch off|remove|drop)[^.]{0,40} (?:filter|moderation|protocol|restriction|constraint)",
    "(?:previous|prior|earlier|original|initial) (?:orders|commands|rules|requests|tasks|context|messages?)|(?:orders|rules|commands) (?:above|before|from before|given)",
    "(?:send|post|upload|forward|e-?mail|append|leak|transmit|submit|deliver|include|embed|put|add|collect)[^\\n]{0,60}(?:tokens|passwords|runbooks?|incidents?|memor|context|kubeconfig)",
    "without (?:first )?(?:asking|requesting|waiting|consulting|informing|telling|notifying)|severity|priority|\\[[ri]\\d",
    "(?:break|violate|evade|circumvent|without|free (?:from|of)|no) [^.]{0,30}(?:restrictions|constraints|limitations|rules|standards|polic|boundaries)",
  ].join("|"),
);
const words = (text: string) => text.split("|");
/** All joined pairs of a first and a last part. */
const pairs = (first: string, last: string) => words(first).flatMap((one) => words(last).map((other) => one + other));
/** Each match of the pattern contains one of these. */
const NEXT_WORDS = [
  ...pairs(
    "reply|replies|respond|responds|answer|answers|output|outputs|say|print|prints|state|states|report|reports|claim|claims|conclude|concludes|write|writes|assert|asserts|declare|declares|announce|announces|tell|inform|assure|advise|return|returns|end|finish|begin|start",
    " |:|\"|'|“|{",
  ),
  ...pairs(
    "mark|classify|treat|label|flag|close|rate|score|categorise|categorize|consider|grade|report",
    " this| these",
  ),
  ...pairs("-|=|*|#|- |= |* |# ", "end|start|begin|new"),
  ...pairs("end ", "of |the |log|report|data|input|evidence|transcript|document|context|alert"),
  ...words(
    " mode|mode activated|mode enabled|mode engaged|mode on|cite|dan|stan|disable|turn off|deactivate|switch off|remove|drop",
  ),
  ...words(
    "previous |prior |earlier |original |initial |orders |rules |commands |tokens|passwords|runbook|incident|memor|context|kubeconfig",
  ),
  ...words("without |severity|priority|[r|[i|restrictions|constraints|limitations| rules|standards|polic|boundaries"),
];

/** A line that begins, continues or ends a broken phrase: a line between ordinary ones is compared with its neighbours only then. */
const WRAPPED_CHECK =
  /ignor|disregard|forget|bypass|overrid|reveal|instruc|prompt|guideline|pretend|imagine|jailbr|restrict|anything now|assistant|\b(?:you|your|act|reply|respond|answer|say|mark|tell|output|from now|obey|repeat|end of)\b/;
const WRAPPED_WORDS = requiredWords(WRAPPED_CHECK.source)[0] ?? [];

/** Every mark of a forged turn contains one of these. */
const TURN_WORDS = (
  "q:|question:|assistant|system|model|ai:|ai>|ai]|ai*|ai |chatgpt|claude|gpt|llm|dejavu|developer|operator|admin|tool|role=|role:|role =|role :|" +
  "<answer|<final|<verdict|<conclusion|<thinking|<human|<user|<instruction|</|<!--|final answer|action input|end of|end_|end-|end report|end log|" +
  "begin |begin_|start of|start_of|close |new |ends here|[/|]]>|end the|end u|end t|end p|end o|end s|end a|end c|end d|end i|end m|end n"
).split("|");

/** What a line may be, as bits. */
export const MAY = {
  /** Hold an order. */
  order: 1,
  next: 2,
  /** Be a forged turn. */
  turn: 4,
  wrapped: 8,
  /** Letters beyond ASCII, or an escape. */
  hide: 16,
  /** A long token, or a row of numbers. */
  encode: 32,
} as const;

const AUTOMATON = createKeywordAutomaton([
  ...bitsOf([
    [STEMS, MAY.order],
    [NEXT_WORDS, MAY.next],
    [TURN_WORDS, MAY.turn],
    [WRAPPED_WORDS, MAY.wrapped],
  ]),
]);

function bitsOf(groups: readonly (readonly [words: readonly string[], bit: number])[]): Map<string, number> {
  const map = new Map<string, number>();
  for (const [words, bit] of groups) for (const word of words) map.set(word, (map.get(word) ?? 0) | bit);
  return map;
}

const LONG_TOKEN = 20;
/** Numbers in a row that may be the codes of letters. */
const MANY_NUMBERS = 8;
const TOKEN = 1;
const ESCAPE = 2;
const OTHER = 4;
const HEX = 8;
const KINDS = kindTable();

function kindTable(): Uint8Array {
  const table = new Uint8Array(0x10000).fill(OTHER);
  for (let code = 0x20; code < 0x7f; code++) table[code] = 0;
  table[9] = 0;
  const mark = (characters: string, kind: number) => {
    for (const character of characters) table[character.charCodeAt(0)] = kind;
  };
  mark("ghijklmnopqrstuvwxyzGHIJKLMNOPQRSTUVWXYZ+/_-", TOKEN);
  mark("abcdefABCDEF0123456789", TOKEN | HEX);
  mark("&%\\=", ESCAPE);
  return table;
}

/** What a line may be. */
export function quickCheck(line: string): number {
  const { classes, next, output } = AUTOMATON;
  let state = 0;
  let bits = 0;
  let kinds = 0;
  let run = 0;
  let hex = 0;
  let numbers = 0;
  for (let i = 0; i < line.length; i++) {
    const code = line.charCodeAt(i);
    state = next[state + (classes[code] ?? 0)] ?? 0;
    bits |= output[state] ?? 0;
    const kind = KINDS[code] ?? 0;
    if (kind & TOKEN) {
      run += 1;
      hex = kind & HEX ? hex + 1 : 9;
      if (run === LONG_TOKEN && mayBeEncoded(line, i + 1 - LONG_TOKEN)) bits |= MAY.encode;
    } else {
      kinds |= kind;
      if (run > 0) {
        // `69 67`, `0x69, 0x67`, `105 103`.
        numbers = hex <= 3 || (hex === 9 && run <= 4) ? numbers + 1 : 0;
        if (numbers >= MANY_NUMBERS) bits |= MAY.encode;
        run = hex = 0;
      }
    }
  }
  if (numbers + 1 >= MANY_NUMBERS) bits |= MAY.encode;
  if (kinds & OTHER || (kinds & ESCAPE && MAY_HIDE_TEXT.test(line))) bits |= MAY.hide | MAY.order;
  else if ((bits & (MAY.order | MAY.next)) === MAY.next && WITH_THE_NEXT_WORD.test(line.toLowerCase()))
    bits |= MAY.order;
  if (bits & MAY.wrapped && !WRAPPED_CHECK.test(line.toLowerCase())) bits &= ~MAY.wrapped;
  return bits;
}
