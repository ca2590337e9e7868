// Lists of endpoints, metrics, jobs, webhooks and scopes on the pages, compared with the code.

import { describe, expect, it } from "vitest";
import { z } from "zod";
import { SCOPES } from "../../../functions/access/caller.ts";
import { createApp } from "../../../functions/app.ts";
import { ALERT_SOURCES } from "../../../functions/incidents/webhooks/index.ts";
import { JOB_NAMES } from "../../../functions/jobs/schedule.ts";
import { createServices } from "../../../functions/services.ts";
import { METRIC_FAMILIES } from "../../../functions/telemetry/metric-families.ts";
import { readPage } from "../../support/markdown-pages.ts";
import { MINIMAL } from "../config-samples.ts";

const SECRET = "0123456789abcdef";
const operations = z.object({
  paths: z.record(
    z.string(),
    z.record(z.string(), z.looseObject({ security: z.array(z.record(z.string(), z.array(z.string()))).optional() })),
  ),
});

describe("docs/reference/api.md", () => {
  it("lists each endpoint with its scope", () => {
    const app = createApp(
      createServices({
        ...MINIMAL,
        SLACK_SIGNING_SECRET: SECRET,
        PAGERDUTY_WEBHOOK_SECRET: SECRET,
        GITHUB_WEBHOOK_SECRET: SECRET,
      }),
    );
    const document = app.getOpenAPI31Document({ openapi: "3.1.0", info: { title: "", version: "" } });
    const endpoints = Object.entries(operations.parse(document).paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, { security }]) => `${method.toUpperCase()} ${path} ${scopeOf(path, security)}`,
      ),
    );
    const rows = [...readPage("docs/reference/api.md").text.matchAll(/^\| `([A-Z]+ [^`]+)` \| ([^|]+) \|/gm)];
    expect(rows.map(([, endpoint, scope]) => `${endpoint} ${scope}`).sort()).toEqual(endpoints.sort());
  });
});

describe("docs/reference/metrics.md", () => {
  it("lists each metric with its type", () => {
    const rows = [...readPage("docs/reference/metrics.md").text.matchAll(/^\| `(dejavu_\w+)` \| (\w+) \|/gm)];
    const families = METRIC_FAMILIES.map(({ name, type }) => `${name} ${type}`);
    expect(rows.map(([, name, type]) => `${name} ${type}`).sort()).toEqual(families.sort());
  });
});

describe("the guides", () => {
  it("list each job", () => {
    expect(firstCells("docs/guides/memory.md", "## Jobs")).toEqual(JOB_NAMES);
  });

  it("list each scope of a token", () => {
    expect(firstCells("docs/guides/tokens.md", "| scope |").toSorted()).toEqual(SCOPES.toSorted());
  });

  it.each(ALERT_SOURCES)("describe the webhook of %s", (source) => {
    expect(readPage("docs/guides/alerts.md").text).toContain(`| \`POST /v1/alerts/${source}\` |`);
  });
});

/** The first cells of the table that follows a text, without backticks. */
function firstCells(path: string, before: string): string[] {
  const { text } = readPage(path);
  const [table = ""] = text.slice(text.indexOf(before)).match(/(?:^\| `.*\n)+/m) ?? [];
  return [...table.matchAll(/^\| `([^`]+)` \|/gm)].map(([, cell = ""]) => cell);
}

function scopeOf(path: string, security: readonly Readonly<Record<string, readonly string[]>>[] | undefined): string {
  if (security === undefined) return "public";
  if (security.length === 0) return "signature";
  const scopes = security.flatMap((alternative) => Object.values(alternative).flat());
  if (scopes.length === 0) return path === "/mcp" ? "per tool" : "any token";
  return scopes.map((scope) => `\`${scope}\``).join(" or ");
}
