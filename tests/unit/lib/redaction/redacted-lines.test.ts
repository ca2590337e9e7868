import { describe, expect, it } from "vitest";
import { redact } from "../../../../lib/redaction/redact.ts";
import { redactedLines } from "../../../../lib/redaction/redacted-lines.ts";

const linesOf = (text: string) => redactedLines(text, redact(text).text);
const KEY = [
  "-----BEGIN RSA PRIVATE KEY-----",
  ...Array<string>(6).fill("A".repeat(64)),
  "-----END RSA PRIVATE KEY-----",
];

describe("the lines that redaction changed", () => {
  it("are none without secrets", () => {
    expect(linesOf("# A\n\nRestart it.\n")).toEqual([]);
  });

  it("have their numbers and kinds, each kind once", () => {
    const text = "# A\n\nMail ops@shop.example or dev@shop.example.\n\npassword=hunter2xyz9\n";
    const [first, second, ...rest] = linesOf(text);
    expect(first).toEqual({ line: 3, kinds: ["EMAIL"] });
    expect(second).toMatchObject({ line: 5, kinds: [expect.any(String)] });
    expect(rest).toEqual([]);
  });

  it("keep their numbers below a private key, which becomes one line", () => {
    const text = ["# A", "", ...KEY, "", "Mail ops@shop.example."].join("\n");
    expect(linesOf(text)).toEqual([
      { line: 3, kinds: ["PRIVATE_KEY"] },
      { line: KEY.length + 4, kinds: ["EMAIL"] },
    ]);
  });

  it("leave out markers that stood there before", () => {
    expect(linesOf("Mail [REDACTED_EMAIL].\n\nCall it.")).toEqual([]);
  });
});
