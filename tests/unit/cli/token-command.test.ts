import { describe, expect, it } from "vitest";
import {
  parseTokenArguments,
  pickToken,
  renderCreated,
  renderRevoked,
  renderTokens,
} from "../../../cli/token-command.ts";
import type { AccessToken } from "../../../functions/access/access-tokens.ts";

const WIDE = { width: 300, color: false };
const NOW = new Date("2026-11-22T12:00:00Z");

const GRAFANA: AccessToken = {
  id: "00000000-0000-4000-8000-00000000000a",
  name: "grafana",
  scopes: ["triage", "read"],
  created_at: "2026-11-20T09:00:00.000Z",
  created_by: "service",
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

describe("the words of the command", () => {
  const command = (...words: readonly string[]) => parseTokenArguments(words).command;

  it("say what to make", () => {
    expect(command("create", "--name", "grafana", "--scopes", "triage, read")).toEqual({
      name: "create",
      body: { name: "grafana", scopes: ["triage", "read"] },
    });
    expect(command("create", "--name", "ci", "--scopes", "read", "--expires-in-days", "90")).toEqual({
      name: "create",
      body: { name: "ci", scopes: ["read"], expires_in_days: 90 },
    });
  });

  it("say what to list or revoke, and where", () => {
    expect(parseTokenArguments(["list", "--json", "--url", "https://dejavu.example"])).toEqual({
      command: { name: "list" },
      url: "https://dejavu.example",
      json: true,
    });
    expect(command("revoke", "grafana")).toEqual({ name: "revoke", token: "grafana" });
  });

  it.each([[[]], [["--help"]], [["create", "--help"]]])("ask for help with %j", (words) => {
    expect(command(...words)).toEqual({ name: "help" });
  });

  it.each<[string, readonly string[]]>([
    ["no command frobnicate", ["frobnicate"]],
    ["--name", ["create", "--scopes", "read"]],
    ["--scopes", ["create", "--name", "a"]],
    ['no scope "reed". There are triage, read, feedback, ingest, admin', ["create", "--name", "a", "--scopes", "reed"]],
    ['no scope ""', ["create", "--name", "a", "--scopes", ""]],
    ["whole number of days", ["create", "--name", "a", "--scopes", "read", "--expires-in-days", "0"]],
    ["whole number of days", ["create", "--name", "a", "--scopes", "read", "--expires-in-days", "1.5"]],
    ["no further word", ["create", "grafana", "--name", "a", "--scopes", "read"]],
    ["no further word", ["list", "grafana"]],
    ["Say which", ["revoke"]],
    ["needs quotes", ["revoke", "on", "call"]],
    ["--scope", ["create", "--scope", "read"]],
  ])("are refused with %j: %j", (message, words) => {
    expect(() => parseTokenArguments(words)).toThrow(message);
  });
});

describe("the token that is meant", () => {
  it("is found by its id in any case, and by its name", () => {
    expect(pickToken([GRAFANA, OLDER], OLDER.id.toUpperCase())).toBe(OLDER);
    expect(pickToken([GRAFANA], "grafana")).toBe(GRAFANA);
  });

  it("is the one of that name that is not revoked", () => {
    expect(pickToken([GRAFANA, { ...OLDER, revoked_at: OLDER.created_at }], "grafana")).toBe(GRAFANA);
  });

  it("is asked for by its id where two have the name", () => {
    expect(() => pickToken([GRAFANA, OLDER], "grafana")).toThrow(
      `2 tokens have this name. Say which by its id:\n  ${GRAFANA.id}  of 2026-11-20 09:00 UTC\n  ${OLDER.id}  of 2026-01-02 03:04 UTC`,
    );
  });

  it("is none where no name fits", () => {
    expect(() => pickToken([{ ...GRAFANA, revoked_at: GRAFANA.created_at }], "grafana")).toThrow(
      "npm run token -- list",
    );
  });
});

describe("what is shown", () => {
  it("is a row for each token", () => {
    expect(renderTokens([GRAFANA], NOW, WIDE).split("\n")).toEqual([
      "name     scopes       state   created (UTC)     expires  last used         id",
      "grafana  triage,read  in use  2026-11-20 09:00  never    2026-11-22 11:59  00000000-0000-4000-8000-00000000000a",
    ]);
  });

  it("tells tokens in use from revoked and expired ones", () => {
    const rows = [
      { ...GRAFANA, expires_at: "2026-11-22T12:00:01.000Z" },
      { ...GRAFANA, expires_at: "2026-11-22T12:00:00.000Z" },
      { ...GRAFANA, expires_at: "2026-11-22T12:00:00.000Z", revoked_at: "2026-11-21T00:00:00.000Z" },
    ];
    const lines = renderTokens(rows, NOW, WIDE).split("\n").slice(1);
    expect(lines.map((line) => line.match(/in use|expired|revoked/)?.[0])).toEqual(["in use", "expired", "revoked"]);
  });

  it("says in a sentence that there are none", () => {
    expect(renderTokens([], NOW, WIDE)).toBe("There are no tokens yet.");
  });

  it("has the new token alone on the last line", () => {
    const shown = renderCreated({ ...GRAFANA, token: "djv_x" }).split("\n");
    expect(shown.at(-1)).toBe("djv_x");
    expect(shown[0]).toBe(`grafana (triage, read) does not expire. Its id is ${GRAFANA.id}.`);
    expect(renderCreated({ ...GRAFANA, expires_at: NOW.toISOString(), token: "djv_x" })).toContain(
      "expires 2026-11-22 12:00 UTC",
    );
  });

  it("lets no name steer the terminal", () => {
    const hostile = { ...GRAFANA, name: "a\u001b[2J\nb" };
    expect(renderRevoked(hostile)).toBe(`Revoked a [2J b (${GRAFANA.id}).`);
    expect(renderCreated({ ...hostile, token: "djv_x" })).toContain("a [2J b (triage");
  });
});
