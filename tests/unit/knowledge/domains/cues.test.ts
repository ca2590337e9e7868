import { describe, expect, it } from "vitest";
import type { Cue } from "../../../../functions/knowledge/domains/domain.ts";
import { DOMAINS } from "../../../../functions/knowledge/domains/index.ts";
import { DOMAIN_NAMES } from "../../../../functions/schemas/domain.ts";

const HOSTILE_LENGTH = 100_000;

/** The words that a pattern waits for, so that a text of them takes it as far as it goes before it fails. */
function wordsOf(pattern: RegExp): string[] {
  return (
    pattern.source
      .replaceAll("\\b", " ")
      .replaceAll("\\w", " ")
      .match(/[A-Za-z0-9_-]{2,}/g) ?? []
  );
}

function hostileTexts(pattern: RegExp): string[] {
  const words = wordsOf(pattern);
  const units = ["a", " ", "1", "_", "-", ".", "exit ", "fail", "fail ", ...words, ...words.map((word) => `${word} `)];
  return [words.join(" "), words.join(""), ...units]
    .filter((unit) => unit !== "")
    .map((unit) => `${unit.repeat(Math.ceil(HOSTILE_LENGTH / unit.length))}\n!`);
}

const allCues: (readonly [name: string, cue: Cue])[] = DOMAIN_NAMES.flatMap((name) => [
  ...DOMAINS[name].cues.map((cue): [string, Cue] => [`${name} ${cue.pattern.source.slice(0, 40)}`, cue]),
  ...DOMAINS[name].incidentTypes.flatMap((type) =>
    type.cues.map((cue): [string, Cue] => [`${name}/${type.name} ${cue.pattern.source.slice(0, 40)}`, cue]),
  ),
]);

describe("cues", () => {
  it.each(allCues)("finish on 100 kB of hostile text: %s", (_name, { pattern }) => {
    for (const text of hostileTexts(pattern)) expect(typeof pattern.test(text)).toBe("boolean");
  });

  it("ignore case and keep no state between texts", () => {
    const odd = allCues.filter(
      ([
        ,
        {
          pattern: { ignoreCase, global, sticky },
        },
      ]) => !ignoreCase || global || sticky,
    );
    expect(odd.map(([name]) => name)).toEqual([]);
  });

  it("do not match an empty text", () => {
    expect(allCues.filter(([, { pattern }]) => pattern.test("")).map(([name]) => name)).toEqual([]);
  });
});

describe("the technologies that postgres does not cover", () => {
  it.each(["MySQL is down", "redis latency", "MongoDB replica set", "SQL Server deadlock"])(
    "knows %j as foreign",
    (title) => {
      expect(DOMAINS.postgres.foreign?.test(title)).toBe(true);
    },
  );

  it.each(["PostgreSQL is down", "postgres_fdw to another server", "predisposed"])(
    "does not take %j for foreign",
    (title) => {
      expect(DOMAINS.postgres.foreign?.test(title)).toBe(false);
    },
  );
});
