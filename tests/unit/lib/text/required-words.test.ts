import { expect, test } from "vitest";
import { requiredWords } from "../../../../lib/text/required-words.ts";

test.each<[pattern: RegExp, words: string[][]]>([
  [/\bignore (?:all )?previous\b/, [["previous"]]],
  [/(?:say|tell me) nothing/, [["nothing"]]],
  [
    /(?:ignore|forget) .{0,9}(?:rules?|orders)/,
    [
      ["ignore", "forget"],
      ["rule", "rules", "orders"],
    ],
  ],
  [/categori[sz]e this/, [["categorise", "categorize"]]],
  [/(?<!not )obey(?! the law)|comply+/, [["obey", "compl"]]],
  [/(?:now )?(?:later )*(?:soon ){0,2}[^.]/, []],
  [/\p{L}+ \u3000\bprompt\b(?<name>x)/u, [["promptx"]]],
  [/secret|\d+/, []],
])("reads the words that a match of %s needs", (pattern, words) => {
  expect(requiredWords(pattern.source)).toEqual(words);
});
