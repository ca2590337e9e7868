// Configuration on the pages: it parses, and what it names exists.

import { parser as promql } from "@prometheus-io/lezer-promql";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { z } from "zod";
import { createApp } from "../../../functions/app.ts";
import { settingsSchema } from "../../../functions/config/settings.ts";
import { createServices } from "../../../functions/services.ts";
import { codeBlocks, readPages } from "../../support/markdown-pages.ts";
import { MINIMAL } from "../config-samples.ts";

const SECRET = "0123456789abcdef";
const { routes } = createApp(
  createServices({
    ...MINIMAL,
    SLACK_SIGNING_SECRET: SECRET,
    PAGERDUTY_WEBHOOK_SECRET: SECRET,
    GITHUB_WEBHOOK_SECRET: SECRET,
  }),
);
const blocks = readPages().flatMap((page) =>
  codeBlocks(page).map((block) => ({ ...block, place: `${page.path}:${block.line}` })),
);
const inLanguage = (language: string) => blocks.filter((block) => block.language === language);
/** An address of the Worker in a block. */
const WORKER_ADDRESS = /https?:\/\/(?:<your-worker>|127\.0\.0\.1:8787)(\/[\w/.-]*)/g;

describe.each(inLanguage("yaml"))("the YAML of $place", ({ code }) => {
  const documents = parseAllDocuments(code);

  it("parses", () => {
    expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
    expect(documents.length).toBeGreaterThan(0);
  });

  it("names a kind and a name for each object of Kubernetes", () => {
    const objects = documents.map((document): unknown => document.toJS());
    const isOfKubernetes = objects.some((object) => z.object({ apiVersion: z.string() }).safeParse(object).success);
    const objectSchema = z.object({
      apiVersion: z.string(),
      kind: z.string(),
      metadata: z.object({ name: z.string() }),
    });
    const wrong = isOfKubernetes ? objects.filter((object) => !objectSchema.safeParse(object).success) : [];
    expect(wrong).toEqual([]);
  });
});

it("addresses of the Worker have a route", () => {
  const used = blocks.flatMap(({ code, place }) =>
    [...code.matchAll(WORKER_ADDRESS)].map(([, path = ""]) => ({ place, path })),
  );
  expect(used.length).toBeGreaterThan(0);
  const patterns = routes
    .filter(({ method }) => method !== "ALL")
    .map(({ path }) => new RegExp(`^${path.replaceAll(/:\w+(?:\{[^}]*\})?/g, "[^/]+").replaceAll("*", ".*")}$`));
  expect(used.filter(({ path }) => !patterns.some((pattern) => pattern.test(path)))).toEqual([]);
});

// A shown answer may leave out parts with "…": the commands' test compares it.
it.each(inLanguage("json").filter(({ code }) => !code.includes("…")))("the JSON of $place parses", ({ code }) => {
  for (const line of code.trim().split("\n")) expect(() => JSON.parse(line)).not.toThrow();
});

it.each(inLanguage("promql"))("the PromQL of $place parses", ({ code }) => {
  const faults: string[] = [];
  promql.parse(code).iterate({
    enter: ({ type, from }) => {
      if (type.isError) faults.push(code.slice(from, from + 20));
    },
  });
  expect(faults).toEqual([]);
});

it.each(inLanguage("ini"))("the variables of $place are settings", ({ code }) => {
  const names = [...code.matchAll(/^(\w+)=/gm)].map(([, name = ""]) => name);
  expect(names.length).toBeGreaterThan(0);
  expect(names.filter((name) => !(name in settingsSchema.shape))).toEqual([]);
});

it("TOML is not shown without a check here", () => {
  expect(inLanguage("toml").map(({ place }) => place)).toEqual([]);
});
