import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { classifyIncident } from "../../../../functions/knowledge/domains/classify-incident.ts";
import { cue } from "../../../../functions/knowledge/domains/domain.ts";
import { describeCues, matchCues, routeDomain } from "../../../../functions/knowledge/domains/route-domain.ts";
import { DOMAIN_NAMES } from "../../../../functions/schemas/domain.ts";

describe("labels", () => {
  it.each([
    ["source_type", "database", "postgres"],
    ["container_runtime", "podman", "podman"],
    ["container_runtime", "kubernetes", "kubernetes"],
    ["container_runtime", "docker", "docker"],
  ])("route %s=%s to %s", (key, value, name) => {
    expect(routeDomain({ [key]: value }, "", "")).toEqual({ name, rule: `label ${key}=${value}`, isDecided: true });
  });

  it.each(["podman", "kubernetes", "docker"])("route a database in %s to postgres", (runtime) => {
    const labels = { container_runtime: runtime, source_type: "database" };
    expect(routeDomain(labels, "", "")).toEqual({
      name: "postgres",
      rule: "label source_type=database",
      isDecided: true,
    });
  });

  it("take precedence over cues", () => {
    const route = routeDomain({ container_runtime: "docker" }, "kubectl: deadlock in podman", "CrashLoopBackOff");
    expect(route).toEqual({ name: "docker", rule: "label container_runtime=docker", isDecided: true });
  });

  it("with other names or values decide nothing", () => {
    const labels = {
      source_type: "metrics",
      container_runtime: "containerd",
      runtime: "podman",
      Source_Type: "database",
    };
    expect(routeDomain(labels, "something broke", "")).toEqual({
      name: "docker",
      rule: "default: no label or cue decided",
      isDecided: false,
    });
  });
});

describe("cues in texts", () => {
  it.each([
    ["api-gateway container exited with code 137", "docker"],
    ["docker compose up fails on the CI host", "docker"],
    ["Node.js container exits with code 1", "docker"],
    ["Pod api-7d9 is in CrashLoopBackOff", "kubernetes"],
    ["kubectl drain hangs", "kubernetes"],
    ["ImagePullBackOff after the release", "kubernetes"],
    ["node worker-3 is NotReady", "kubernetes"],
    ["deadlock detected while updating orders", "postgres"],
    ["replication lag on the standby is 20 minutes", "postgres"],
    ["FATAL 53300: too many clients", "postgres"],
    ["pg_wal fills the disk", "postgres"],
    ["the database answers slowly", "postgres"],
    ["podman container keeps restarting", "podman"],
    ["quadlet unit was not generated", "podman"],
    ["rootless container cannot write to its volume", "podman"],
  ])("route %j to %s", (headline, name) => {
    expect(routeDomain({}, headline, "").name).toBe(name);
  });

  it("are named in the rule", () => {
    expect(routeDomain({}, "Pod in CrashLoopBackOff", "")).toEqual({
      name: "kubernetes",
      rule: 'text cue "CrashLoopBackOff", "Pod"',
      isDecided: true,
    });
  });

  it("are added up, and the strongest domain wins", () => {
    expect(routeDomain({}, "podman: deadlock, too many clients", "").name).toBe("postgres");
  });

  it("prefer the narrower domain at equal weights", () => {
    expect(routeDomain({}, "podman and kubernetes", "").name).toBe("podman");
    expect(routeDomain({}, "kubernetes and docker", "").name).toBe("kubernetes");
    expect(routeDomain({}, "podman and postgres", "").name).toBe("postgres");
  });

  it("in the details count only if the headline has none", () => {
    expect(routeDomain({}, "podman is slow", "kubectl deadlock CrashLoopBackOff").name).toBe("podman");
    expect(routeDomain({}, "checkout is slow", "FATAL: sorry, too many clients already")).toEqual({
      name: "postgres",
      rule: 'cue in labels or logs "too many clients"',
      isDecided: true,
    });
  });

  it("are absent: docker is the default", () => {
    expect(routeDomain({}, "", "")).toEqual({
      name: "docker",
      rule: "default: no label or cue decided",
      isDecided: false,
    });
  });

  it("also decide for docker", () => {
    expect(routeDomain({}, "container is gone", "")).toEqual({
      name: "docker",
      rule: 'text cue "container"',
      isDecided: true,
    });
  });

  it.each(["podiatry", "dockerless", "postgrest-like", "unpodmanned"])("do not match inside the word %j", (word) => {
    expect(routeDomain({}, word, "")).toEqual({
      name: "docker",
      rule: "default: no label or cue decided",
      isDecided: false,
    });
  });
});

describe("matchCues", () => {
  const cues = [cue(/\bdisk\b/, 3), cue(/\bfull\b/, 2), cue(/\bslow\b/, 1)];

  it("sums the weights of the cues and counts each once", () => {
    expect(matchCues(cues, "Disk full, disk FULL")).toEqual({ weight: 5, matches: ["Disk", "full"] });
  });

  it("returns no matches for a text without cues", () => {
    expect(matchCues(cues, "all is well")).toEqual({ weight: 0, matches: [] });
  });

  it("quotes at most 60 characters of what a cue matched", () => {
    expect(matchCues([cue(/x+/, 1)], "x".repeat(100)).matches).toEqual(["x".repeat(60)]);
  });

  it("counts code points and does not split surrogate pairs", () => {
    const whales = (count: number) => matchCues([cue(/\S+/, 1)], "🐳".repeat(count)).matches;
    expect(whales(60)).toEqual(["🐳".repeat(60)]);
    expect(whales(61)).toEqual(["🐳".repeat(60)]);
    expect(matchCues([cue(/\S+/, 1)], `x${"🐳".repeat(100)}`).matches).toEqual([`x${"🐳".repeat(59)}`]);
  });
});

describe("a rule", () => {
  const astral = fc.constantFrom("🐳", "𝒳");
  const unit = fc.oneof({ weight: 5, arbitrary: astral }, fc.constantFrom("é", "a", " ", "_"));
  const anything = fc.oneof(fc.string({ unit }), fc.string({ unit: "grapheme" }), fc.string({ unit: "binary" }));
  // Cues with a gap also quote the text between their words, up to 40 characters.
  const enclosing = fc.constantFrom(
    ["pull", "image"],
    ["image", "pull"],
    ["connection", "limit"],
    ["volume", "permission"],
  );
  const enclosed = fc.string({ unit, minLength: 20, maxLength: 38 });
  const quoted = fc.tuple(enclosing, enclosed).map(([words, text]) => words.join(` ${text} `));
  const texts = fc.array(fc.oneof(anything, quoted), { maxLength: 4 }).map((parts) => parts.join("\n"));

  it("of a domain is well formed for any text", () => {
    fc.assert(
      fc.property(fc.dictionary(anything, anything), texts, texts, (labels, headline, details) => {
        expect(routeDomain(labels, headline, details).rule.isWellFormed()).toBe(true);
      }),
    );
  });

  it("of an incident type is well formed for any text", () => {
    fc.assert(
      fc.property(fc.constantFrom(...DOMAIN_NAMES), texts, texts, (domain, headline, details) => {
        expect(classifyIncident(domain, headline, details).rule.isWellFormed()).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it("quotes at most 60 code points of a cue", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const { matches } = matchCues([cue(/\S[\s\S]*/, 1)], text);
        const whole = [...text.trim()].slice(0, 60).join("");
        expect(matches).toEqual(whole === "" ? [] : [whole]);
        expect(matches.every((words) => words.isWellFormed())).toBe(true);
      }),
    );
  });
});

describe("describeCues", () => {
  it("quotes each cue", () => {
    expect(describeCues("text cue", ["exit code 137", "oom"])).toBe('text cue "exit code 137", "oom"');
  });
});
