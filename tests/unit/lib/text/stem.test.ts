import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stem } from "../../../../lib/text/stem.ts";

describe("stem", () => {
  it.each([
    ["restart", ["restarts", "restarted", "restarting"]],
    ["fail", ["fails", "failed", "failing"]],
    ["stop", ["stops", "stopped", "stopping"]],
    ["log", ["logs", "logged", "logging"]],
    ["add", ["adds", "added", "adding"]],
    ["err", ["errs", "erred", "erring"]],
    ["crash", ["crashes", "crashed", "crashing"]],
    ["process", ["processes", "processed", "processing"]],
    ["query", ["queries"]],
    ["retry", ["retries", "retried", "retrying"]],
    ["deny", ["denies", "denied", "denying"]],
    ["image", ["images"]],
    ["pod", ["pods"]],
    ["node", ["nodes"]],
    ["warning", ["warnings"]],
    ["database", ["databases"]],
    ["cache", ["caches", "cached", "caching"]],
    ["schedule", ["schedules", "scheduled", "scheduling"]],
    ["refuse", ["refuses", "refused", "refusing"]],
    ["exceed", ["exceeds", "exceeded", "exceeding"]],
    ["need", ["needs", "needed", "needing"]],
    ["time", ["times", "timed", "timing"]],
    ["save", ["saves", "saved", "saving"]],
    ["pass", ["passes", "passed", "passing"]],
    ["fuzz", ["fuzzed", "fuzzing"]],
    ["kill", ["kills", "killed", "killing"]],
  ])("gives the forms of %s one stem", (word, forms) => {
    expect(forms.map(stem)).toEqual(forms.map(() => stem(word)));
  });

  it.each([
    "dns",
    "status",
    "class",
    "access",
    "string",
    "spring",
    "bring",
    "need",
    "speed",
    "ping",
    "red",
    "node",
    "time",
    "k8s",
    "nginx",
    "full",
  ])("leaves %s unchanged", (word) => {
    expect(stem(word)).toBe(word);
  });

  it.each(["53300", "40p01", "err_conn_reset", "node1.shared", "größe", "соединение", "接続", ""])(
    "leaves %j, which is not a plain English word, unchanged",
    (word) => {
      expect(stem(word)).toBe(word);
    },
  );

  it("removes only the plural ending of a name", () => {
    expect(stem("web-caches")).toBe("web-cache");
    expect(stem("ipv4s")).toBe("ipv4");
    expect(stem("v2-images")).toBe("v2-image");
  });

  it.each([
    ["string", "strong"],
    ["need", "ned"],
    ["ping", "pin"],
    ["red", "reed"],
    ["class", "clash"],
    ["speed", "sped"],
    ["status", "state"],
    ["dns", "dn"],
    ["filled", "filed"],
    ["running", "ruining"],
  ])("gives %s and %s different stems", (one, other) => {
    expect(stem(one)).not.toBe(stem(other));
  });

  const word = fc.string({ unit: fc.constantFrom(..."abdegilnoprstuyz19-"), maxLength: 14 });

  it("only removes endings, except for the y of -ies, and never everything", () => {
    fc.assert(
      fc.property(word, (value) => {
        const stemmed = stem(value);
        const kept = value.endsWith("ies") ? stemmed.replace(/y$/, "i") : stemmed;
        expect(value.startsWith(kept)).toBe(true);
        expect(stemmed.length).toBeGreaterThanOrEqual(Math.min(2, value.length));
      }),
    );
  });

  it("gives a regular plural and its singular one stem", () => {
    const singular = fc.string({ unit: fc.constantFrom(..."bcdgklmnprt"), minLength: 3, maxLength: 10 });
    fc.assert(
      fc.property(singular, (value) => {
        expect(stem(`${value}s`)).toBe(stem(value));
      }),
    );
  });

  it.each(["a", "s", "ies", "ed", "ing", "-"])("handles 100 kB of %j", (unit) => {
    expect(stem(unit.repeat(100_000 / unit.length)).length).toBeGreaterThan(99_990);
  });
});
