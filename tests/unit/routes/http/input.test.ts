import { describe, expect, it } from "vitest";
import { filledText, readAtMost, text } from "../../../../functions/routes/http/input.ts";
import { createTestTimers } from "../../../support/test-timers.ts";

const NUL = "\u0000";

describe("text", () => {
  it.each(["", " ", "two\nlines\tand a tab", "größe 接続 🐳", "\u200b"])("accepts %j unchanged", (value) => {
    expect(text(100).parse(value)).toBe(value);
  });

  it("accepts the maximum length, and rejects one more character", () => {
    expect(text(5).safeParse("12345").success).toBe(true);
    expect(text(5).safeParse("123456").success).toBe(false);
  });

  it.each([NUL, `a${NUL}b`, `end${NUL}`])("rejects a NUL, which Postgres cannot store: %j", (value) => {
    expect(
      text(100)
        .safeParse(value)
        .error?.issues.map(({ message }) => message),
    ).toEqual(["must not contain NUL characters"]);
  });

  it.each(["\ud83d", "a\udc33b", "\udc33\ud83d"])("rejects a lone surrogate: %j", (value) => {
    expect(
      text(100)
        .safeParse(value)
        .error?.issues.map(({ message }) => message),
    ).toEqual(["must not contain lone surrogates"]);
  });

  it.each([null, undefined, 1, true, ["a"], { text: "a" }])("rejects %j, which is not a string", (value) => {
    expect(text(100).safeParse(value).success).toBe(false);
  });

  it("never repeats rejected input", () => {
    const refused = text(4).safeParse(`pl4nted-s3cret${NUL}`);
    expect(JSON.stringify(refused.error?.issues)).not.toContain("pl4nted");
  });
});

describe("filledText", () => {
  it("trims accepted text", () => {
    expect(filledText(100).parse("  disk full \n")).toBe("disk full");
  });

  it.each(["", " ", "\n\t ", "\u00a0\u2003"])("rejects %j, which is blank", (value) => {
    expect(
      filledText(100)
        .safeParse(value)
        .error?.issues.map(({ message }) => message),
    ).toEqual(["must not be empty"]);
  });

  it("rejects the same as text", () => {
    expect(filledText(100).safeParse(`a${NUL}`).success).toBe(false);
    expect(filledText(100).safeParse("\ud83d").success).toBe(false);
    expect(filledText(3).safeParse("1234").success).toBe(false);
  });
});

describe("readAtMost", () => {
  const { startTimer, expire, running } = createTestTimers();

  it("gives up a body that does not end in time", async () => {
    let isCancelled = false;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array([97])),
      cancel: () => {
        isCancelled = true;
      },
    });
    const read = readAtMost(body, { bytes: 1_000, ms: 30_000, startTimer });
    await expire("request_body");
    expect(await read).toBe("too_slow");
    expect(isCancelled).toBe(true);
  });

  it("stops above the limit of bytes, and reads a body of exactly the limit", async () => {
    const limit = { bytes: 3, ms: 30_000, startTimer };
    expect(await readAtMost(new Response("1234").body, limit)).toBe("too_large");
    expect(await readAtMost(new Response("123").body, limit)).toEqual(new TextEncoder().encode("123"));
    expect(await readAtMost(null, limit)).toEqual(new Uint8Array());
    expect(running()).toEqual([]);
  });
});
