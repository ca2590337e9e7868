import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { REPO_DIR } from "../../../dev/stack/paths.ts";
import { NODE_VERSIONS } from "../../install/machine.ts";

const NODES = [20, 22, 24];
/** The tests without a network need these rights. */
const CONTAINER = {
  image: `${"$"}{{ matrix.image }}`,
  options: "--cap-add=SYS_ADMIN --cap-add=NET_ADMIN",
};
const FOLDER = join(REPO_DIR, ".github/workflows");
const step = z.strictObject({
  uses: z.string().optional(),
  run: z.string().optional(),
  with: z.record(z.string(), z.unknown()).optional(),
});
/** What these workflows use of GitHub's format; anything else is refused, misspelt keys included. */
const workflow = z.strictObject({
  name: z.string(),
  on: z.record(z.string(), z.unknown()),
  permissions: z.record(z.string(), z.enum(["read", "write", "none"])),
  concurrency: z.strictObject({ group: z.string(), "cancel-in-progress": z.boolean() }),
  jobs: z.record(
    z.string(),
    z.strictObject({
      name: z.string(),
      if: z.string().optional(),
      "runs-on": z.string(),
      container: z.strictObject({ image: z.string(), options: z.string() }),
      "timeout-minutes": z.int(),
      strategy: z.strictObject({
        "fail-fast": z.boolean(),
        matrix: z.strictObject({ include: z.array(z.strictObject({ node: z.int(), image: z.string() })) }),
      }),
      steps: z.array(step),
    }),
  ),
});

describe.each(readdirSync(FOLDER))("the workflow %s", (name) => {
  const { permissions, jobs } = workflow.parse(parse(readFileSync(join(FOLDER, name), "utf8")));
  const steps = Object.values(jobs).flatMap((job) => job.steps);

  it("pins each action by its commit", () => {
    const uses = steps.flatMap((each) => each.uses ?? []);
    expect(uses.filter((action) => !/^[\w./-]+@[0-9a-f]{40}$/.test(action))).toEqual([]);
  });

  it("pins each image by its digest, one for each version of Node", () => {
    const images = Object.values(jobs).flatMap(({ strategy }) => strategy.matrix.include);
    expect(new Set(images.map(({ image }) => image)).size).toBe(NODES.length);
    for (const { node, image } of images)
      expect(image).toMatch(new RegExp(`^node:${node}-bookworm@sha256:[0-9a-f]{64}$`));
  });

  it("reads the repository and nothing else", () => {
    expect(permissions).toEqual({ contents: "read" });
    const checkouts = steps.filter(({ uses }) => uses?.startsWith("actions/checkout@"));
    expect(checkouts.map((each) => each.with)).toEqual(checkouts.map(() => ({ "persist-credentials": false })));
  });

  it("runs the gate and the installs on every supported version of Node, and all tests", () => {
    expect(steps.flatMap(({ run }) => run ?? [])).toEqual([
      ".ci/run",
      "npm run test:all",
      `npm run test:install -- --node ${"$"}{{ matrix.node }}`,
    ]);
    expect(Object.values(jobs).map(({ strategy }) => strategy.matrix.include.map(({ node }) => node))).toEqual([
      NODES,
      [22],
      NODES,
    ]);
    expect(Object.values(jobs).map(({ container }) => container)).toEqual(Object.values(jobs).map(() => CONTAINER));
    expect(NODES.map(String)).toEqual(NODE_VERSIONS);
  });
});
