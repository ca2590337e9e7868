import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createReplayGuard, rejectionOf } from "../../../../functions/routes/slack/signature.ts";

const encode = (text: string) => new TextEncoder().encode(text);

describe("rejectionOf", () => {
  // The example of Slack's documentation.
  const SECRET = "8f742231b10e8888abcd99yyyzzz85a5";
  const BODY =
    "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
  const REQUEST = {
    timestamp: "1531420618",
    signature: "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
    body: encode(BODY),
  };
  const SIGNED_AT = new Date(1_531_420_618_000);

  it("accepts Slack's signature over the raw bytes", () => {
    expect(rejectionOf(REQUEST, SECRET, SIGNED_AT)).toBeUndefined();
    const body = Uint8Array.of(0xff, 0x00, 0xfe);
    const signature = `v0=${createHmac("sha256", SECRET).update("v0:1531420618:").update(body).digest("hex")}`;
    expect(rejectionOf({ ...REQUEST, signature, body }, SECRET, SIGNED_AT)).toBeUndefined();
  });

  it("rejects another secret, body, time or signature", () => {
    expect(rejectionOf(REQUEST, `${SECRET}6`, SIGNED_AT)).toBe("wrong");
    expect(rejectionOf({ ...REQUEST, body: encode(`${BODY}&`) }, SECRET, SIGNED_AT)).toBe("wrong");
    expect(rejectionOf({ ...REQUEST, timestamp: "1531420619" }, SECRET, SIGNED_AT)).toBe("wrong");
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9a-f]{64}$/), (hex) => {
        fc.pre(`v0=${hex}` !== REQUEST.signature);
        expect(rejectionOf({ ...REQUEST, signature: `v0=${hex}` }, SECRET, SIGNED_AT)).toBe("wrong");
      }),
    );
  });

  it("accepts 5 minutes in both directions, to the millisecond", () => {
    const at = (offset: number) => rejectionOf(REQUEST, SECRET, new Date(SIGNED_AT.getTime() + offset));
    expect([at(300_000), at(-300_000)]).toEqual([undefined, undefined]);
    expect([at(300_001), at(-300_001)]).toEqual(["old", "future"]);
  });

  it.each(["-1531420618", "1531420618.0", "1e9", " 1531420618", "0x5b479e8a", "9".repeat(13), "NaN"])(
    "takes %j for no timestamp",
    (timestamp) => {
      expect(rejectionOf({ ...REQUEST, timestamp }, SECRET, SIGNED_AT)).toBe("malformed");
    },
  );

  it("never throws for any headers", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (timestamp, signature) => {
        expect(rejectionOf({ ...REQUEST, timestamp, signature }, SECRET, SIGNED_AT)).toBe("malformed");
      }),
    );
  });
});

describe("the replay guard", () => {
  const START = new Date("2026-03-01T03:00:00Z");
  const later = (ms: number) => new Date(START.getTime() + ms);

  it("admits a signature once within its validity", () => {
    const guard = createReplayGuard();
    expect(guard.admits("a", START)).toBe(true);
    expect([guard.admits("a", START), guard.admits("a", later(599_999))]).toEqual([false, false]);
    expect(guard.admits("b", later(599_999))).toBe(true);
    expect(guard.admits("a", later(600_000))).toBe(true);
  });

  it("drops the oldest signatures above its limit", () => {
    const guard = createReplayGuard();
    for (let i = 0; i < 10_001; i++) expect(guard.admits(`signature ${i}`, START)).toBe(true);
    expect(guard.admits("signature 10000", START)).toBe(false);
    expect(guard.admits("signature 0", START)).toBe(true);
  });
});
