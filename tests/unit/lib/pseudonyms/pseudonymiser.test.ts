import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NAME_KINDS } from "../../../../lib/pseudonyms/placeholder.ts";
import { createPseudonymiser, maskNames } from "../../../../lib/pseudonyms/pseudonymiser.ts";
import { NAME_SAMPLES, NAMELESS } from "./samples.ts";

const hidden = (text: string, hints: readonly string[] = []) => createPseudonymiser([text], hints).hide(text);

describe("hide", () => {
  it.each(NAME_SAMPLES)("hides the names in $text", ({ text, names }) => {
    for (const name of names) expect(hidden(text)).not.toContain(name);
    for (const name of names) expect(maskNames([text]).join()).not.toContain(name);
  });

  it.each(NAMELESS)("leaves unchanged: %s", (text) => {
    expect(hidden(text)).toBe(text);
  });

  it("gives one name one placeholder wherever it stands as a word, in every text of the request", () => {
    const texts = ["Target: ledger", "ledger answers 502; ledger-config is new; ledgers stay"];
    const names = createPseudonymiser(texts);
    expect(texts.map(names.hide)).toEqual([
      "Target: service-1",
      "service-1 answers 502; service-1-config is new; ledgers stay",
    ]);
  });

  it("reads names from hints that are not sent", () => {
    expect(hidden("ledger answers 502", ['target="ledger"'])).toBe("service-1 answers 502");
  });

  it("keeps a name that is an ordinary word, a word of failures or of a prompt", () => {
    const labels = "service=memory pod=error namespace=default host=localhost job=report user=root app=postgres";
    expect(hidden(`${labels}\n<report>out of memory</report> R1 L1`)).toBe(
      `${labels}\n<report>out of memory</report> R1 L1`,
    );
  });

  it("uses no placeholder that the text contains itself", () => {
    const text = "host=ledger-7 beside host-1 and HOST-2, pod-1";
    const names = createPseudonymiser([text]);
    expect(names.hide(text)).toBe("host=host-3 beside host-1 and HOST-2, pod-1");
    expect(names.restore("host-1, Host-2, host-3, pod-1")).toBe("host-1, Host-2, ledger-7, pod-1");
  });
});

describe("restore", () => {
  const names = createPseudonymiser(["pod=ledger-0 namespace=fintech user=o.hara"]);
  names.hide("pod=ledger-0 namespace=fintech user=o.hara");

  it.each([
    ["kubectl logs pod-1 -n namespace-1", "kubectl logs ledger-0 -n fintech"],
    [
      '`pod-1`, **pod-1**, "pod-1", pod-1\'s, (pod-1).',
      '`ledger-0`, **ledger-0**, "ledger-0", ledger-0\'s, (ledger-0).',
    ],
    ["Pod-1 and POD-1 restart", "ledger-0 and ledger-0 restart"],
    ["pod-1.namespace-1.svc and pod-1-config and pod-1_db", "ledger-0.fintech.svc and ledger-0-config and ledger-0_db"],
    ["ask user-1", "ask o.hara"],
  ])("puts the names back into %s", (text, restored) => {
    expect(names.restore(text)).toBe(restored);
  });

  it("shows a placeholder that the model made up as one without a name", () => {
    expect(names.restore("kubectl logs pod-9 -n namespace-12")).toBe("kubectl logs <pod> -n <namespace>");
  });

  it("leaves what only looks like a placeholder", () => {
    expect(names.restore("pods-1, tripod-1, pod-1st, sha-256, pod-123456")).toBe(
      "pods-1, tripod-1, pod-1st, sha-256, pod-123456",
    );
  });
});

const word = fc.constantFrom(
  ...NAME_SAMPLES.flatMap(({ text }) => text.split(" ")),
  ...NAME_KINDS.flatMap((kind) => [`${kind}-1`, `${kind}-`, kind, `${kind}-12,`]),
  ...["\n", "ſ", "host=ſtrange", "K", "pod=é-0", "𝒳", "\ud800", "0", "-1", ".", "user='a-1'", "svc=x-api"],
);
const text = fc.oneof(
  fc.array(word, { maxLength: 30 }).chain((words) => fc.constantFrom(words.join(" "), words.join(""), words.join("-"))),
  fc.string({ unit: "grapheme", maxLength: 200 }),
);

describe("for any text", () => {
  it("restore reverses hide", () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 3 }), (texts) => {
        const names = createPseudonymiser(texts);
        const sent = texts.map(names.hide);
        expect(sent.map(names.restore)).toEqual(texts);
      }),
    );
  });

  it("the restored beginning of an answer only grows", () => {
    fc.assert(
      fc.property(text, text, (prompt, answer) => {
        const names = createPseudonymiser([prompt]);
        const sent = names.hide(prompt) + answer;
        let before = "";
        for (let length = 0; length <= sent.length; length++) {
          const now = names.restoreBeginning(sent.slice(0, length).toWellFormed());
          // Half a character of a pair is replaced until it is complete.
          if (!/[\ud800-\udbff]$/.test(sent.slice(0, length))) {
            expect(now.startsWith(before)).toBe(true);
            before = now;
          }
        }
        expect(names.restore(sent.toWellFormed()).startsWith(before)).toBe(true);
      }),
    );
  });

  it("gives a text the same mask every time", () => {
    fc.assert(
      fc.property(text, (each) => {
        expect(maskNames([each])).toEqual(maskNames([each]));
      }),
    );
  });
});

describe("hostile text", () => {
  /** Operations that a linear pass needs, in characters; a quadratic one would not end within the test's time. */
  const LENGTH = 200_000;
  const labels = Array.from({ length: 64 }, (_, i) => `pod=ledger-${"a-".repeat(100)}${i}x`).join(" ");
  it.each([
    ["a-"],
    ["a."],
    ["a="],
    ["a: "],
    ["x://"],
    ["1.2.3."],
    ["1:2:"],
    ["pod "],
    ["NAME  "],
    ["ledger-a-a-a-"],
    ["/home/"],
    ["\\Users\\"],
    ["arn:aws:"],
    ["@"],
    ["a@"],
    ["checkout-7c9f8d6b5-"],
    ["lookup "],
    ["'a'@'"],
    [" -n "],
    ["psql "],
    [" "],
    ["a"],
    ["7"],
    ["projects/aaaaa/"],
    [".svc"],
    ["a-b.svc"],
    ["_a(1234"],
    ["a-1 pods "],
  ])("takes linear time for repeated %j", (piece) => {
    const hostile = `${labels}\n${piece.repeat(Math.ceil(LENGTH / piece.length))}`;
    const names = createPseudonymiser([hostile]);
    expect(names.restore(names.hide(hostile))).toBe(hostile);
  });
});
