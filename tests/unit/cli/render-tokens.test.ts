import { describe, expect, it } from "vitest";
import { newTokenOf } from "../../../cli/commands/tokens.ts";
import { pickToken, renderCreated, renderRevoked, renderTokens } from "../../../cli/views/render-tokens.ts";
import type { AccessToken } from "../../../functions/access/access-tokens.ts";

const WIDE = { width: 300, color: false };
const NOW = new Date("2026-11-22T12:00:00Z");

const GRAFANA: AccessToken = {
  id: "00000000-0000-4000-8000-00000000000a",
  name: "grafana",
  scopes: ["triage", "read"],
  created_at: "2026-11-20T09:00:00.000Z",
  domains: null,
  created_by: "service",
  owner_id: "00000000-0000-4000-8000-00000000000a",
  expires_at: null,
  revoked_at: null,
  last_used_at: "2026-11-22T11:59:00.000Z",
};
const OLDER: AccessToken = {
  ...GRAFANA,
  id: "00000000-0000-4000-8000-00000000000b",
  created_at: "2026-01-02T03:04:00.000Z",
  last_used_at: null,
};

describe("a new token", () => {
  it("has scopes, and an end if one is named", () => {
    expect(newTokenOf({ name: "grafana", scopes: "triage, read" })).toEqual({
      name: "grafana",
      scopes: ["triage", "read"],
    });
    expect(newTokenOf({ name: "ci", scopes: "read", expiresInDays: "90" })).toEqual({
      name: "ci",
      scopes: ["read"],
      expires_in_days: 90,
    });
  });

  it("has domains, if some are named", () => {
    const options = { name: "ci", scopes: "read", domains: "checkout, kubernetes" };
    expect(newTokenOf(options)).toMatchObject({ domains: ["checkout", "kubernetes"] });
  });

  it.each([
    ['Unknown scope "reed". The scopes are report, triage, read, feedback, ingest, admin', { scopes: "reed" }],
    ['Unknown scope ""', { scopes: "" }],
    ["whole number of days", { scopes: "read", expiresInDays: "0" }],
    ["whole number of days", { scopes: "read", expiresInDays: "1.5" }],
  ])("is rejected with %j: %j", (message, options) => {
    expect(() => newTokenOf({ name: "a", ...options })).toThrow(message);
  });
});

describe("the selected token", () => {
  it("is found by its id in any case, or by its name", () => {
    expect(pickToken([GRAFANA, OLDER], OLDER.id.toUpperCase())).toBe(OLDER);
    expect(pickToken([GRAFANA], "grafana")).toBe(GRAFANA);
  });

  it("is found by the first characters of its id", () => {
    expect(pickToken([GRAFANA, { ...OLDER, id: "abcd0000-0000-4000-8000-00000000000b" }], "ABCD")).toMatchObject({
      created_at: OLDER.created_at,
    });
    expect(() => pickToken([GRAFANA, OLDER], "0000")).toThrow("2 tokens have an id that begins with 0000");
  });

  it("is not a revoked one of that name", () => {
    expect(pickToken([GRAFANA, { ...OLDER, revoked_at: OLDER.created_at }], "grafana")).toBe(GRAFANA);
  });

  it("must be named by its id if two have the name", () => {
    expect(() => pickToken([GRAFANA, OLDER], "grafana")).toThrow(
      `2 tokens have this name. Use an id:\n  ${GRAFANA.id}  grafana, of 2026-11-20 09:00 UTC\n  ${OLDER.id}  grafana, of 2026-01-02 03:04 UTC`,
    );
  });

  it("is an error if no name matches", () => {
    expect(() => pickToken([{ ...GRAFANA, revoked_at: GRAFANA.created_at }], "grafana")).toThrow("dejavu tokens list");
  });
});

describe("what is shown", () => {
  it("names the domains of a restricted token", () => {
    const restricted = { ...GRAFANA, domains: ["checkout", "kubernetes"] };
    expect(renderTokens([restricted], NOW, WIDE)).toContain("triage,read in checkout,kubernetes");
    expect(renderCreated({ ...restricted, token: "djv_x" })).toContain("(triage, read in checkout, kubernetes)");
  });

  it("has a row for each token", () => {
    expect(renderTokens([GRAFANA], NOW, WIDE).split("\n")).toEqual([
      "name     scopes       state   created (UTC)     expires  last used         id",
      "grafana  triage,read  in use  2026-11-20 09:00  never    2026-11-22 11:59  00000000-0000-4000-8000-00000000000a",
    ]);
  });

  it("shows active, revoked and expired tokens", () => {
    const rows = [
      { ...GRAFANA, expires_at: "2026-11-22T12:00:01.000Z" },
      { ...GRAFANA, expires_at: "2026-11-22T12:00:00.000Z" },
      { ...GRAFANA, expires_at: "2026-11-22T12:00:00.000Z", revoked_at: "2026-11-21T00:00:00.000Z" },
    ];
    const lines = renderTokens(rows, NOW, WIDE).split("\n").slice(1);
    expect(lines.map((line) => line.match(/in use|expired|revoked/)?.[0])).toEqual(["in use", "expired", "revoked"]);
  });

  it("reports that there are none", () => {
    expect(renderTokens([], NOW, WIDE)).toBe("There are no tokens yet.");
  });

  it("shows only the new token on the last line", () => {
    const shown = renderCreated({ ...GRAFANA, token: "djv_x" }).split("\n");
    expect(shown.at(-1)).toBe("djv_x");
    expect(shown[0]).toBe(`grafana (triage, read) does not expire. Its id is ${GRAFANA.id}.`);
    expect(renderCreated({ ...GRAFANA, expires_at: NOW.toISOString(), token: "djv_x" })).toContain(
      "expires 2026-11-22 12:00 UTC",
    );
  });

  it("holds no terminal control characters of a name", () => {
    const hostile = { ...GRAFANA, name: "a\u001b[2J\nb" };
    expect(renderRevoked(hostile)).toBe(`Revoked a [2J b (${GRAFANA.id}).`);
    expect(renderCreated({ ...hostile, token: "djv_x" })).toContain("a [2J b (triage");
  });
});
