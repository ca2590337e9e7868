import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  exportable,
  exportableText,
  MAX_CHARACTERS,
  MAX_READ,
} from "../../../functions/telemetry/exportable-attributes.ts";
import {
  documents,
  embedding,
  input,
  messages,
  output,
  type TracedDocument,
} from "../../../functions/telemetry/openinference.ts";
import { createRedact, redact } from "../../../lib/redaction/redact.ts";

const RULES = { hidesTexts: false, redact };
const KEY = `-----BEGIN PRIVATE KEY-----\n${"Zm9vYmFy".repeat(200)}\n-----END PRIVATE KEY-----\n`;
const SECRET = "ghp_0123456789abcdefghijklmnopqrstuvwxyzAB";

describe("exportable", () => {
  it("scrubs every text, in lists too, and leaves figures as they are", () => {
    expect(
      exportable({ text: `token ${SECRET}`, list: ["ann@example.com", "fine"], count: 3, flag: false }, RULES),
    ).toEqual({ text: "token [REDACTED_GITHUB]", list: ["[REDACTED_EMAIL]", "fine"], count: 3, flag: false });
  });

  it("scrubs private addresses where a deployment wants it", () => {
    const rules = { hidesTexts: false, redact: createRedact("public_and_private") };
    expect(exportable({ text: "10.1.2.3 refused", name: "n" }, rules)).toEqual({
      text: "[REDACTED_IP] refused",
      name: "n",
    });
  });

  it("leaves out what is not known", () => {
    expect(exportable({ a: null, b: undefined, c: "" }, RULES)).toEqual({ c: "" });
  });

  it("knows a secret that the cut would part", () => {
    const text = `${"x ".repeat(MAX_CHARACTERS / 2 - 10)}${SECRET} ${SECRET}`;
    const left = exportableText(text, RULES);
    expect(left.length).toBeLessThanOrEqual(MAX_CHARACTERS);
    expect(left).not.toContain("ghp_");
  });

  it("lets no part of a secret leave, wherever the reading or the cut would part it", () => {
    const secrets = [
      SECRET,
      "AKIAIOSFODNN7EXAMPLE",
      "postgres://app:hunter2-very-long-password@db/app",
      "4111 1111 1111 1111",
    ];
    // What stands before a secret may shrink to a marker, so that much that was read fits.
    const fillers = ["a line of a log\n", "word ", `password=${"x".repeat(400)}\n`, KEY, "ann@example.com "];
    const planted = fc.record({
      filler: fc.constantFrom(...fillers),
      secret: fc.constantFrom(...secrets),
      at: fc.oneof(...[MAX_CHARACTERS, MAX_READ].map((bound) => fc.integer({ min: bound - 80, max: bound + 20 }))),
      rest: fc.constantFrom("", " and more", " more".repeat(MAX_READ)),
    });
    fc.assert(
      fc.property(planted, ({ filler, secret, at, rest }) => {
        const before = filler.repeat(at / filler.length + 1).slice(0, at);
        const left = exportableText(`${before}\n${secret}${rest}`, RULES);
        expect(left.length).toBeLessThanOrEqual(MAX_CHARACTERS);
        for (let i = 0; i + 8 <= secret.length; i++)
          if (!/^[a-z:/@]+$/.test(secret.slice(i, i + 8))) expect(left).not.toContain(secret.slice(i, i + 8));
      }),
    );
  });

  it("reads no more of a text than may leave, and what may tell a secret in it", () => {
    const before = "word ".repeat(MAX_READ);
    expect(exportableText(before, RULES)).toBe(`${before.slice(0, MAX_CHARACTERS - 1)}…`);
    expect(exportableText(KEY.repeat(MAX_READ / KEY.length + 1), RULES)).toMatch(/^(\[REDACTED_PRIVATE_KEY\]\n)*…$/);
  });

  it("exports no text above its limit and no half characters", () => {
    const texts = fc.oneof(
      fc.string({ unit: "binary", maxLength: 50 }),
      fc.string({ unit: "binary" }).map((text) => text.repeat(2_000)),
    );
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ minLength: 1 }), fc.oneof(texts, fc.array(texts, { maxLength: 3 }))),
        (attributes) => {
          for (const value of Object.values(exportable(attributes, RULES)))
            for (const text of [value].flat()) {
              expect(String(text).length).toBeLessThanOrEqual(MAX_CHARACTERS);
              expect(String(text).isWellFormed()).toBe(true);
            }
        },
      ),
    );
  });

  it("lets ids through", () => {
    fc.assert(
      fc.property(fc.uuid(), fc.stringMatching(/^[0-9a-f]{16}$/), (uuid, chunk) => {
        expect(exportable({ uuid, chunk }, RULES)).toEqual({ uuid, chunk });
      }),
      // The same ids in each run: one in 20,000 has the form and check digits of an account or card number by chance,
      // and is redacted.
      { seed: 1 },
    );
  });
});

describe("hiding", () => {
  const hits: TracedDocument[] = [{ id: "d1", content: "words", score: 0.5, metadata: { title: "words" } }];
  const turns = [{ role: "user", text: "words" }] as const;
  const texts = {
    ...input("words"),
    ...output("words"),
    ...messages("LLM_INPUT_MESSAGES", turns),
    ...messages("LLM_OUTPUT_MESSAGES", turns),
    ...embedding("model", "words"),
    ...documents("RETRIEVAL_DOCUMENTS", hits),
    ...documents("RERANKER_INPUT_DOCUMENTS", hits),
    ...documents("RERANKER_OUTPUT_DOCUMENTS", hits),
    "reranker.query": "words",
    "dejavu.domain_rule": "label owner=words",
    "exception.message": "words",
  };

  it("of texts leaves a word in their place, and ids and scores as they are", () => {
    const left = exportable(texts, { hidesTexts: true, redact });
    expect(JSON.stringify(left)).not.toContain("words");
    expect(Object.values(left)).toContain("__REDACTED__");
    expect(Object.keys(left)).toEqual(Object.keys(texts));
    for (const [name, value] of Object.entries(left))
      if (/\.(id|score|role)$/.test(name)) expect(value).not.toBe("__REDACTED__");
  });
});

describe("documents", () => {
  it("are limited in number", () => {
    const many = Array.from({ length: 50 }, (_, i) => ({ id: `d${i}` }));
    const ids = Object.entries(documents("RETRIEVAL_DOCUMENTS", many)).filter(([name]) => name.endsWith(".id"));
    expect(ids).toHaveLength(20);
    expect(ids.at(-1)).toEqual(["retrieval.documents.19.document.id", "d19"]);
  });
});
