import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasDigit, MAX_WORD_LENGTH, visitParts, visitWords, wordHash } from "../../../../lib/embedding/words.ts";

function wordsOf(text: string): string[] {
  const words: string[] = [];
  visitWords(text, (letters, from, to) => void words.push(String.fromCharCode(...letters.subarray(from, to))));
  return words;
}

const lettersOf = (word: string) => Uint16Array.from(word, (letter) => letter.charCodeAt(0));

describe("the words of a text", () => {
  it.each([
    ["", []],
    ["  \t\n .,;:!?-_/\\()[]{}'\"`~@#$%^&*+=<>| ", []],
    ["The disk is FULL.", ["the", "disk", "is", "full"]],
    ["exit code 137", ["exit", "code", "137"]],
    ["kube-proxy max_connections a.b/c", ["kube", "proxy", "max", "connections", "a", "b", "c"]],
    ["KubePodNotReady", ["kube", "pod", "not", "ready", "kubepodnotready"]],
    ["OOMKilled", ["oom", "killed", "oomkilled"]],
    ["CrashLoopBackOff", ["crash", "loop", "back", "off", "crashloopbackoff"]],
    ["imagePullPolicy", ["image", "pull", "policy", "imagepullpolicy"]],
    ["HTTP2Server", ["http2", "server", "http2server"]],
    ["ec2S3", ["ec2s3"]],
    ["PVCs OOMs", ["pvcs", "ooms"]],
    ["TooManyPVCs", ["too", "many", "pvcs", "toomanypvcs"]],
    ["AsA", ["as", "a", "asa"]],
    ["ASCII", ["ascii"]],
    ["X", ["x"]],
  ])("%j are %j", (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  it.each([
    ["Grüße aus Köln", ["grüße", "aus", "köln"]],
    ["ÄnderungsFehler", ["änderungs", "fehler", "änderungsfehler"]],
    ["диск Заполнен", ["диск", "заполнен"]],
    ["磁盘已满。重启", ["磁盘已满", "重启"]],
    ["“quoted” — 5×3 µs", ["quoted", "5", "3", "µs"]],
    ["full 🔥 disk", ["full", "disk"]],
    // In lower case it has two characters.
    ["İ", ["İ"]],
    ["a\ud800b\u0000c", ["a", "b", "c"]],
  ])("of other scripts are found: %j has %j", (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  it("do not depend on the case of a word in one case", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9 ]{0,80}$/), (text) => {
        expect(wordsOf(text.toUpperCase())).toEqual(wordsOf(text));
      }),
    );
  });

  it("are those of a plain reading of ASCII", () => {
    const plain = (text: string) =>
      (text.match(/[A-Za-z0-9]+/g) ?? [])
        .filter(({ length }) => length <= MAX_WORD_LENGTH)
        .flatMap((run) => {
          const parts = run.split(/(?<=[a-z])(?=[A-Z])|(?<=.)(?=[A-Z][a-z])(?![A-Z]s$)/);
          return (parts.length > 1 ? [...parts, run] : parts).map((word) => word.toLowerCase());
        });
    const letters = fc.constantFrom(..."abs", ..."ABS", ..."07", ..." ._-");
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: letters, maxLength: 200 }), fc.string({ maxLength: 200 })), (text) => {
        expect(wordsOf(text)).toEqual(plain(text));
      }),
    );
  });

  it("tell an identifier as a whole from its parts", () => {
    const visited: [string, boolean][] = [];
    visitWords("podNotReady yet", (letters, from, to, isPart) => {
      visited.push([String.fromCharCode(...letters.subarray(from, to)), isPart]);
    });
    expect(visited).toEqual([
      ["pod", true],
      ["not", true],
      ["ready", true],
      ["podnotready", false],
      ["yet", true],
    ]);
  });

  it("leave out longer runs of letters and digits, and nothing beside them", () => {
    const longest = "a".repeat(MAX_WORD_LENGTH);
    expect(wordsOf(`before ${longest} after`)).toEqual(["before", longest, "after"]);
    expect(wordsOf(`before ${longest}a after`)).toEqual(["before", "after"]);
    expect(wordsOf(`before ${"aB3".repeat(100_000)} after`)).toEqual(["before", "after"]);
  });

  it.each([
    ["one run", "a".repeat(300_000)],
    ["a change of case at each letter", "aB".repeat(150_000)],
    ["identifiers of the greatest length", `${"aB".repeat(MAX_WORD_LENGTH / 2)} `.repeat(6_000)],
    ["single letters", "a ".repeat(150_000)],
    ["capitals", "A".repeat(300_000)],
    ["half characters", "\ud800".repeat(300_000)],
  ])("of a hostile text are visited in linear time: %s", (_, text) => {
    let visited = 0;
    visitWords(text, (_letters, from, to) => {
      visited += to - from;
    });
    // Each letter in its part and in the whole.
    expect(visited).toBeLessThanOrEqual(2 * text.length);
  });
});

describe("the hash of a word", () => {
  it.each([
    // Published test values of FNV-1a.
    ["", 0x811c9dc5],
    ["a", 0xe40c292c],
    ["foobar", 0xbf9cf968],
  ])("of %j is FNV-1a", (word, hash) => {
    expect(wordHash(lettersOf(word), 0, word.length)).toBe(hash);
  });

  it("is that of its own letters alone", () => {
    expect(wordHash(lettersOf("xfoobarx"), 1, 7)).toBe(0xbf9cf968);
  });
});

describe("the parts of a word", () => {
  const partsOf = (word: string, from = 0, to = word.length) => {
    const parts: number[] = [];
    visitParts(lettersOf(word), from, to, (hash) => void parts.push(hash));
    return parts;
  };
  const hashes = (...parts: string[]) => parts.map((part) => wordHash(lettersOf(part), 0, part.length));

  it.each([
    ["pod", hashes(" po", " pod", " pod ", "pod", "pod ", "od ")],
    ["io", hashes(" io", " io ", "io ")],
    ["a", hashes(" a ")],
  ])("%j has are its substrings of 3 to 5 letters", (word, parts) => {
    expect(partsOf(word)).toEqual(parts);
  });

  it("are those of the word alone, wherever it stands", () => {
    expect(partsOf("xxpodxx", 2, 5)).toEqual(partsOf("pod"));
  });

  it("are all substrings of 3 to 5 letters between two blanks", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{1,48}$/), (word) => {
        const bounded = ` ${word} `;
        const expected = [...bounded].flatMap((_, start) =>
          [3, 4, 5]
            .filter((length) => start + length <= bounded.length)
            .map((length) => bounded.slice(start, start + length)),
        );
        expect(partsOf(word)).toEqual(hashes(...expected));
      }),
    );
  });
});

it.each([
  ["137", true],
  ["v2", true],
  ["pod", false],
  ["", false],
])("hasDigit says of %j: %s", (word, expected) => {
  expect(hasDigit(lettersOf(word), 0, word.length)).toBe(expected);
});
