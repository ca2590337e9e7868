import { describe, expect, it } from "vitest";
import { SERVICE_CALLER } from "../../../functions/access/caller.ts";
import { storedSessionId } from "../../../functions/access/session-ids.ts";
import { readQuestion, readReport } from "../../../functions/incidents/read-report.ts";
import { boundedLabels, LIMITS, truncateToLimit } from "../../../functions/incidents/webhooks/alert-limits.ts";

const TOKEN = `gh${"p"}_${"aB3dE5gH7k".repeat(4)}`;
const HALF = TOKEN.slice(0, 16);
/** A text in which the limit falls into the token. */
const cutInToken = (limit: number) => `${"word ".repeat(Math.ceil(limit / 5)).slice(0, limit - 17)} ${TOKEN} end`;

describe("a secret at the place where a text is cut", () => {
  it("is redacted in the fields of an alert", () => {
    expect(truncateToLimit(cutInToken(LIMITS.title), LIMITS.title)).not.toContain(HALF);
    const labels = boundedLabels({ note: cutInToken(LIMITS.labelValue), [cutInToken(LIMITS.labelName)]: "x" });
    expect(JSON.stringify(labels)).not.toContain(HALF);
  });

  it("is redacted however long the text is", () => {
    for (let padding = 0; padding < 45; padding += 4) {
      const cut = truncateToLimit("x".repeat(padding) + ` ${TOKEN}`.repeat(400), LIMITS.title);
      expect(cut).not.toContain(HALF);
      expect(cut).toMatch(/^x* ?\[REDACTED_GITHUB\]/);
    }
  });

  it("is redacted in a label whose name says that it is a secret", () => {
    const value = "correct-horse-".repeat(100);
    expect(boundedLabels({ db_password: value }).db_password).toBe("[REDACTED_PASSWORD]");
  });

  it("is redacted in titles and questions", () => {
    for (let length = 150; length < 4_100; length += 7) {
      const line = cutInToken(length);
      const { title, question } = readQuestion(line, undefined);
      for (const text of [title, question, readReport(line)?.title])
        if (text !== undefined && !text.includes(TOKEN)) expect(text).not.toContain(HALF);
    }
  });
});

describe("a session id with a secret", () => {
  const caller = { ...SERVICE_CALLER, owner: "0d4b7c1e-5f7e-4a0c-9a53-1c2d3e4f5a6b", scopes: ["triage"] as const };
  const sessionOf = (id: string) => storedSessionId(SERVICE_CALLER, id);

  it("is replaced by a hash, the same for the same id", () => {
    expect(sessionOf(TOKEN)).toMatch(/^session-[0-9a-f]{32}$/);
    expect(sessionOf(TOKEN)).toBe(sessionOf(TOKEN));
    expect(sessionOf(TOKEN)).not.toBe(sessionOf(`${TOKEN}x`));
  });

  it("keeps the prefix of the token that it belongs to", () => {
    expect(storedSessionId(caller, TOKEN)).toBe(`${caller.owner}:${sessionOf(TOKEN)}`);
    expect(storedSessionId(caller, storedSessionId(caller, TOKEN))).toBe(storedSessionId(caller, TOKEN));
  });

  it("stays when it holds none", () => {
    for (const id of [
      "on-call-2026-03-01",
      "slack-T0AB-C0CD-1795230000.123456",
      "mcp-3f1d8a6e-77c1-4a6e-9c68-5f3a3d9be0b4",
    ])
      expect(sessionOf(id)).toBe(id);
  });
});
