import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redact } from "../../../../lib/redaction/redact.ts";
import { createStreamScrubber } from "../../../../lib/redaction/stream-scrubber.ts";
import { cutInto, pieceLengths } from "./stream-pieces.ts";

const HEAD = `-----${"BEGIN"} RSA PRIVATE KEY-----`;
const FOOT = `-----${"END"} RSA PRIVATE KEY-----`;
const BODY = ["MIIEow", "q7Zt2B", "Lm1Rw8"].map((start) => `${start}${"aB3dE5+gH7kL9m/pQ2".repeat(4)}`.slice(0, 64));
const LOG = Array.from({ length: 400 }, (_, i) => `2026-11-21T03:00:00Z ERROR attempt ${i} of the checkout failed`);
const MARKER = "[REDACTED_PRIVATE_KEY]";

describe("private keys", () => {
  it("hides no line that follows a first line alone", () => {
    const text = [`user logged in ${HEAD}`, ...LOG].join("\n");
    expect(redact(text).text).toBe(text);
  });

  it("hides no line that follows a key without a last line", () => {
    const text = [HEAD, ...BODY, ...LOG].join("\n");
    expect(redact(text).text).toBe([MARKER, ...LOG].join("\n"));
  });

  it("ends a block after 16 kB", () => {
    const { text } = redact([HEAD, ...Array.from({ length: 300 }, () => BODY[1]), "last line"].join("\n"));
    expect(text.split("\n").length).toBe(50);
    expect(text.endsWith("last line")).toBe(true);
  });

  it("keeps what a logger adds after the last line of a key without an end", () => {
    const log = (line: string) => `{"log":"${line}\\n","stream":"stderr"}`;
    const text = [HEAD, ...BODY, "started in 3 s"].map(log).join("\n");
    expect(redact(text).text).toBe([MARKER, "started in 3 s"].map(log).join("\n"));
  });

  it("returns a first line without a body, and one in a sentence", () => {
    for (const text of [
      HEAD,
      `${HEAD}\nMII...\n${FOOT}`,
      `expected ${HEAD} but got ${HEAD} at line 1`,
      `${HEAD}\n\n\nok`,
    ])
      expect(redact(text).text).toBe(text);
  });

  it("keeps certificates, as they are and in base64", () => {
    const certificate = `-----${"BEGIN"} CERTIFICATE-----\n${BODY.join("\n")}\n-----${"END"} CERTIFICATE-----`;
    expect(redact(certificate).text).toBe(certificate);
    const encoded = btoa(certificate);
    expect(redact(`tls.crt: ${encoded}`).text).toBe(`tls.crt: ${encoded}`);
  });

  it.each([
    ["lines of a log", "\n2026-11-21T03:00:00.5Z stdout F "],
    ["lines of a pod", "\n[pod/api-0/api] "],
    ["quoted lines", "\n> "],
    ["escaped line breaks", "\\n"],
    ["doubly escaped line breaks", "\\\\n"],
    ["line breaks of a URL", "%0A"],
    ["Windows line breaks", "\r\n"],
    ["blanks", " "],
  ])("replaces a key with %s", (_, separator) => {
    const before = separator.startsWith("\n") ? separator.slice(1) : "key: ";
    const { text } = redact(`${before}${[HEAD, ...BODY, FOOT].join(separator)}\nnext line`);
    expect(text).toBe(`${before}${MARKER}\nnext line`);
  });

  it("gives the same result for a stream, and never a part of the key", () => {
    const piece = fc.constantFrom(
      HEAD,
      FOOT,
      ...BODY,
      "\n",
      "\n",
      "\\n",
      " ",
      "pod | ",
      "short",
      "Proc-Type: 4",
      LOG[0] ?? "",
      btoa(`${HEAD}\n${BODY.join("\n")}`),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), pieceLengths, (pieces, lengths) => {
        const text = pieces.join("");
        const scrubber = createStreamScrubber();
        const out =
          cutInto(text, lengths)
            .map((part) => scrubber.push(part))
            .join("") + scrubber.end();
        expect(out).toBe(redact(text).text);
      }),
    );
  });
});
