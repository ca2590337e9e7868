import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatToken, isToken, sameSecret, TOKEN_BYTES, tokenHash } from "../../../functions/access/token-format.ts";
import { redact } from "../../../lib/redaction/redact.ts";

const bytes = fc.uint8Array({ minLength: TOKEN_BYTES, maxLength: TOKEN_BYTES });

describe("a token", () => {
  it("is djv_ and 43 characters that a header and a URL can carry", () => {
    fc.assert(
      fc.property(bytes, (random) => {
        expect(formatToken(random)).toMatch(/^djv_[A-Za-z0-9_-]{43}$/);
      }),
    );
  });

  it("is distinguished from any other text", () => {
    fc.assert(fc.property(bytes, (random) => isToken(formatToken(random))));
    const token = formatToken(new Uint8Array(TOKEN_BYTES));
    for (const other of [
      "",
      "djv_",
      token.slice(1),
      token.slice(0, -1),
      `${token}x`,
      `${token}\n`,
      token.toUpperCase(),
    ])
      expect(isToken(other)).toBe(false);
  });

  it("is redacted wherever it is pasted", () => {
    fc.assert(
      fc.property(bytes, (random) => {
        const token = formatToken(random);
        expect(redact(`curl failed with ${token} in the header`).text).toBe(
          "curl failed with [REDACTED_DEJAVU] in the header",
        );
      }),
    );
  });

  it("is kept as its SHA-256", () => {
    expect(tokenHash("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  });

  it("is the same secret only when it is the same", () => {
    expect(sameSecret("0123456789abcdef", "0123456789abcdef")).toBe(true);
    for (const other of ["", "0123456789abcde", "0123456789abcdef0", "0123456789abcdeg"])
      expect(sameSecret(other, "0123456789abcdef")).toBe(false);
  });
});
