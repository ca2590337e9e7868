import { describe, expect, it } from "vitest";
import { settingsSchema } from "../../../functions/config/settings.ts";
import { sourceDefinitionOf, sourceInputSchema } from "../../../functions/evidence-sources/source-definition.ts";

const MINIMAL = { kind: "prometheus", url: "http://127.0.0.1:9090" };

/** "path: message" of each problem of an input. */
function problemsOf(parts: object): string[] {
  const parsed = sourceInputSchema.safeParse({ ...MINIMAL, ...parts });
  return parsed.success ? [] : parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
}

describe("the definition of a source", () => {
  it("needs a kind and an address only", () => {
    expect(sourceDefinitionOf("prod", sourceInputSchema.parse(MINIMAL))).toEqual({
      ...{ name: "prod", ...MINIMAL, credential: null, headers: {}, labels: {}, domains: [], open_url: null },
    });
  });

  it("has each value of a label and each domain once", () => {
    const input = sourceInputSchema.parse({
      ...MINIMAL,
      labels: { cluster: ["b", "a", "b"] },
      domains: ["y", "x", "y"],
    });
    const { labels, domains } = sourceDefinitionOf("prod", input);
    expect({ labels, domains }).toEqual({ labels: { cluster: ["b", "a"] }, domains: ["x", "y"] });
  });

  it.each(["EVIDENCE_PROD", "EVIDENCE_PROD_2"])("may name the secret %s", (credential) => {
    expect(problemsOf({ credential })).toEqual([]);
  });

  it.each([
    "SUPABASE_SERVICE_ROLE_KEY",
    "DEJAVU_TOKEN",
    "ANTHROPIC_API_KEY",
    "PROMETHEUS_CREDENTIAL",
    "EVIDENCE_",
    "evidence_prod",
    "EVIDENCE_PROD\n",
    "EVIDENCE_prod",
    "XEVIDENCE_PROD",
    "__proto__",
    `EVIDENCE_${"A".repeat(56)}`,
    "Bearer abc",
  ])("must not name %j as its secret", (credential) => {
    expect(problemsOf({ credential })).toEqual([expect.stringContaining("begins with EVIDENCE_")]);
  });

  it("can name no setting of the service: none has the prefix of credentials", () => {
    expect(Object.keys(settingsSchema.shape).filter((name) => name.startsWith("EVIDENCE_"))).toEqual([]);
  });

  it.each([
    ["url: must be encrypted", { url: "http://metrics.corp.com", credential: "EVIDENCE_PROD" }],
    ["url: must not be a link-local address", { url: "http://169.254.169.254", credential: "EVIDENCE_PROD" }],
    ["open_url: must be an address", { open_url: "javascript:alert(1)" }],
    ["headers.Authorization: must not be a header that holds a credential", { headers: { Authorization: "x" } }],
    ["headers.X-Api-Key: must not be a header that holds a credential", { headers: { "X-Api-Key": "x" } }],
    ["headers.Host: must not be a header that holds a credential", { headers: { Host: "x" } }],
    ["headers.X A: must be a header name", { headers: { "X A": "x" } }],
    ["headers.X-Scope-OrgID: must be visible ASCII", { headers: { "X-Scope-OrgID": "a\r\nb: c" } }],
    ["headers.X-Note: looks as if it held a secret", { headers: { "X-Note": `ghp_${"a1B2".repeat(9)}` } }],
    ["labels: must have at most 10 names", { labels: Object.fromEntries(numbers(11).map((n) => [`l${n}`, ["v"]])) }],
    ["headers: must have at most 10 names", { headers: Object.fromEntries(numbers(11).map((n) => [`x-${n}`, "v"])) }],
    ["labels.a b: must be the name of a label", { labels: { "a b": ["v"] } }],
    ["labels.cluster: ", { labels: { cluster: [] } }],
    ["domains.0: must be 1 to 63", { domains: ["Not a domain"] }],
    ["kind: ", { kind: "carbon" }],
    [": Unrecognized key", { password: "x" }],
  ])("is refused with %j", (problem, parts) => {
    expect(problemsOf(parts)).toEqual([expect.stringContaining(problem)]);
  });

  it("may have headers of a tenant", () => {
    expect(problemsOf({ headers: { "X-Scope-OrgID": "team-a", "CF-Access-Client-Id": "abc" } })).toEqual([]);
  });
});

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}
