import { describe, expect, it } from "vitest";
import { github } from "../../../../functions/changes/senders/github.ts";

/** What remains when GitHub leaves out, or sends null for, each field that it may. */
const repository = { id: 7, name: "checkout", full_name: "shop/checkout" };
const sha = "f95f852bd8fca8fcc58a9a2d6c842781e32a215e";
const deployment = { id: 1, sha, ref: "" };
const status = { id: 2, state: "failure" };
const push = { ref: "refs/heads/main", before: "a1", after: sha, commits: [], repository };

const deliveryOf = (body: unknown) => github.toChanges(github.schema.parse(body));

describe("a delivery of GitHub with few fields", () => {
  it.each<[string, unknown, object]>([
    [
      "a deployment by its commit",
      { action: "created", deployment, repository },
      {
        title: "Deployment of f95f852bd8fc begins",
        version: "f95f852bd8fc",
        environment: null,
        at: null,
        by: null,
        url: null,
      },
    ],
    [
      "a preview",
      {
        action: "created",
        deployment: { ...deployment, ref: "f95f852", transient_environment: true, description: "Try it" },
        repository: { ...repository, html_url: "" },
      },
      { title: "Deployment of f95f852bd8fc begins: Try it", environment: "preview", url: null },
    ],
    [
      "a status by another person, with a log elsewhere",
      {
        action: "created",
        deployment,
        deployment_status: { ...status, creator: { login: "kim" }, log_url: "", target_url: "https://ci.example/1" },
        repository,
      },
      { title: "Deployment of f95f852bd8fc failed", at: null, by: "kim", url: "https://ci.example/1" },
    ],
    [
      "a status of a deployment with an environment",
      {
        action: "created",
        deployment: { ...deployment, environment: "production", creator: { login: "dana" } },
        deployment_status: { ...status, environment: null, creator: { login: "bot" } },
        repository: { ...repository, html_url: "https://github.com/shop/checkout" },
      },
      {
        title: "Deployment of f95f852bd8fc to production failed",
        by: "dana",
        url: `https://github.com/shop/checkout/commit/${sha}`,
      },
    ],
    [
      "a release that is named as its tag",
      { action: "published", release: { id: 3, tag_name: "v1", name: "v1" }, repository },
      { title: "Release v1", at: null, by: null, url: null },
    ],
    [
      "a push without commits",
      { ...push, repository: { ...repository, default_branch: "main", pushed_at: "2026-03-01T03:00:00Z" } },
      { title: "Push to main: f95f852bd8fc", at: null, by: null, url: null },
    ],
    [
      "a push of three commits",
      {
        ...push,
        commits: [{}, {}, {}],
        head_commit: { message: "Load carts\n\nIn one query." },
        repository: { ...repository, default_branch: "main", pushed_at: 1_772_332_620 },
      },
      { title: "Push to main: Load carts (and 2 more commits)", at: new Date("2026-03-01T02:37:00Z") },
    ],
  ])("is stored: %s", (_, body, change) => {
    expect(deliveryOf(body)).toMatchObject({ ignored: [], changes: [{ service: "checkout", ...change }] });
  });

  it.each<[string, unknown, string]>([
    ["an event without a commit", { ref: "main", ref_type: "branch", repository }, "is no deployment"],
    [
      "a rule about a status",
      { action: "requested", deployment_status: status, deployment, repository },
      "is no deployment",
    ],
    ["a push to a repository without a default branch", push, "not to the default branch"],
    [
      "a waiting deployment",
      { action: "created", deployment, deployment_status: { ...status, state: "waiting" }, repository },
      "waiting changes no service",
    ],
  ])("is ignored: %s", (_, body, rule) => {
    expect(deliveryOf(body)).toMatchObject({ changes: [], ignored: [{ rule: expect.stringContaining(rule) }] });
  });
});
