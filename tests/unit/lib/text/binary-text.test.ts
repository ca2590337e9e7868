import { deflateRawSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { triageRequestSchema } from "../../../../functions/routes/v1/triage-request.ts";
import { binaryKind } from "../../../../lib/text/binary-text.ts";

const LOG = "2026-03-01T02:59:00Z ERROR connection refused by ledger:5432\n".repeat(40);
const PNG = Buffer.concat([Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"), deflateRawSync(LOG)]);

describe("binary data in a text", () => {
  it.each([
    ["gzip", gzipSync(LOG), "a gzip archive"],
    ["PNG", PNG, "a PNG image"],
    ["compressed data", deflateRawSync(Buffer.from(LOG.split("").reverse().join("") + Math.PI)), "binary data"],
  ])("is recognised: %s, decoded in either way", (_what, bytes, kind) => {
    expect(binaryKind(bytes.toString("utf8"))).toBe(kind);
    expect(binaryKind(bytes.toString("latin1"))).toBe(kind);
  });

  it.each(["text", "logs", "title", "question"])("is refused as the %s of a report", (field) => {
    const body = {
      ...(field === "logs" ? { title: "t" } : {}),
      [field]: gzipSync("x").toString("latin1").replaceAll("\0", ""),
    };
    const { error } = triageRequestSchema.safeParse(body);
    expect(error?.issues).toEqual([
      expect.objectContaining({ path: [field], message: expect.stringContaining("gzip") }),
    ]);
  });
});

it.each([
  LOG,
  "",
  "caf\ufffd is closed",
  "\u001b[31mred\u001b[0m \u001b[1mbold\u001b[0m",
  "再起動 😀",
  `PK is a name\n${LOG}`,
  "a\u0007b",
])("text is no binary data", (text) => {
  expect(binaryKind(text)).toBeNull();
});
