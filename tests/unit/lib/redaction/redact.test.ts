import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redact } from "../../../../lib/redaction/redact.ts";
import { SECRETS, SURVIVORS } from "./samples.ts";

describe("redact", () => {
  it("has enough samples", () => {
    console.log(`redaction: ${SECRETS.length} secrets, ${SURVIVORS.length} survivors`);
    expect(SECRETS.length).toBeGreaterThanOrEqual(70);
    expect(SURVIVORS.length).toBeGreaterThanOrEqual(80);
  });

  it.each(SECRETS)("replaces the $marker in $text", ({ text, secret, marker }) => {
    const { text: scrubbed, counts } = redact(text);
    expect(scrubbed).not.toContain(secret);
    expect(scrubbed).toContain(`[REDACTED_${marker}]`);
    expect(counts[marker]).toBeGreaterThan(0);
    expect(scrubbed.length).toBeGreaterThan(0);
  });

  it.each(SECRETS)("replaces the $marker within a log: $text", ({ text, secret }) => {
    const { text: scrubbed } = redact(`2026-11-21 03:00:00 ERROR one two\n  ${text}\nnext line`);
    expect(scrubbed).not.toContain(secret);
    expect(scrubbed.startsWith("2026-11-21 03:00:00 ERROR one two\n  ")).toBe(true);
  });

  it.each(SURVIVORS)("leaves unchanged: %s", (text) => {
    expect(redact(text)).toEqual({ text, counts: {} });
  });

  it("keeps the host of a database address and the name before a value", () => {
    expect(redact("postgres://app:s3cret@db:5432/shop").text).toBe(
      "postgres://app:[REDACTED_DATABASE_URL]@db:5432/shop",
    );
    expect(redact('{"password": "a b", "port": 5432}').text).toBe('{"password": "[REDACTED_PASSWORD]", "port": 5432}');
    expect(redact("level=info,password=abc,foo=bar").text).toBe("level=info,password=[REDACTED_PASSWORD],foo=bar");
  });

  // The samples are separated by spaces: a marker within a word splits it into two words, and these may
  // match a rule that the whole word did not match.
  it.each(["[REDACTED_JWT] = B", "[REDACTED_PASSWORD]: Bcd12345"])("takes no marker for a name: %s", (text) => {
    expect(redact(text)).toEqual({ text, counts: {} });
  });

  it("is idempotent", () => {
    const separator = fc.constantFrom(" ", "\n", "\t", ", ", "; ", " | ");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), separator, (pieces, between) => {
        const once = redact(pieces.join(between)).text;
        expect(redact(once)).toEqual({ text: once, counts: {} });
      }),
    );
  });

  it.each([
    "sk-",
    "eyJ.",
    "a@",
    "-----BEGIN ",
    "1.",
    "1-",
    "password=",
    'password="a ',
    " ",
    "AKIA",
    "http://a:",
    "+1 ",
    "1",
    "12 ",
    "0171 ",
    "(",
    "phone 1",
    "phone ",
    "AB12 ",
    "DE89 3704 ",
    "v1.",
    "a/1.1.1.1",
    "a@b.",
    '"a"@',
    "漢@",
  ])(
    "handles 200 kB of %j",
    (near) => {
      expect(redact(near.repeat(200_000 / near.length)).text.length).toBeGreaterThan(0);
    },
    60_000,
  );
});

const piece = fc.oneof(
  fc.constantFrom(...SECRETS.map(({ text }) => text)),
  fc.constantFrom(...SECRETS.map(({ secret }) => secret)),
  fc.constantFrom(...SURVIVORS),
  fc.constantFrom(
    " ",
    "\n",
    ", ",
    ": ",
    "=",
    '"',
    "'",
    "-",
    ".",
    "@",
    "password",
    "[REDACTED_IP]",
    "Bearer ",
    "  ",
    "\\",
  ),
  fc.string({ maxLength: 6 }),
);
