import { describe, expect, it } from "vitest";
import { GENERAL_DOMAIN } from "../../../functions/schemas/domain.ts";
import { chunkMarkdown } from "../../../lib/markdown/chunk-markdown.ts";
import { parseRunbookItems, type RunbookItem } from "../../../lib/markdown/runbook-items.ts";
import { sectionRole } from "../../../lib/markdown/section-role.ts";
import { SHIPPED_DOMAINS } from "../../support/domains.ts";

const SECTIONS = ["Symptoms", "Confirm", "Mitigate", "Root causes", "Prevent"];
const ROLES = ["symptoms", "confirm", "mitigate", "causes", "prevent"];

const everyRunbook = SHIPPED_DOMAINS.flatMap(({ name, definition, runbooks }) => {
  const types = definition?.incident_types.map((type) => type.name) ?? [];
  return runbooks.map((runbook) => [runbook.source, { domain: name, types, ...runbook }] as const);
});

/** The text's headings, in order; comments in code are none. */
function headingsOf(markdown: string): string[] {
  const prose = markdown.replace(/^ *(```|~~~)[\s\S]*?^ *\1/gm, "");
  return prose.match(/^#{1,6} .*$/gm) ?? [];
}

function sectionsOf(markdown: string) {
  return chunkMarkdown(markdown, "no title", { size: 400, overlap: 50 });
}

function itemsOf(markdown: string, heading: string): RunbookItem[] {
  return sectionsOf(markdown)
    .filter(({ headingPath }) => headingPath.join() === heading)
    .flatMap(({ body }) => parseRunbookItems(body));
}

describe("the runbooks that ship", () => {
  it.each(SHIPPED_DOMAINS.filter(({ name }) => name !== GENERAL_DOMAIN))(
    "are at least five for $name",
    ({ runbooks }) => {
      expect(runbooks.length).toBeGreaterThanOrEqual(5);
    },
  );

  it("have titles of their own", () => {
    const titles = everyRunbook.map(([, { domain, markdown }]) => `${domain}: ${sectionsOf(markdown)[0]?.title}`);
    expect(new Set(titles).size).toBe(titles.length);
  });
});

describe.each(everyRunbook)("%s", (_source, { types, markdown, metadata }) => {
  it("has one title and the five sections in order", () => {
    const [title, ...sections] = headingsOf(markdown);
    expect(title).toMatch(/^# \S/);
    expect(sections).toEqual(SECTIONS.map((name) => `## ${name}`));
    expect(SECTIONS.map((name) => sectionRole([name]))).toEqual(ROLES);
  });

  it("has an introduction, and fits each section into one chunk", () => {
    expect(sectionsOf(markdown).map(({ headingPath }) => headingPath)).toEqual([[], ...SECTIONS.map((name) => [name])]);
  });

  it("names an incident type of its domain, and tags", () => {
    expect(types).toContain(metadata.incident_type);
    expect(metadata.tags).toMatch(/\S/);
  });

  it("has items in every section", () => {
    expect(SECTIONS.filter((heading) => itemsOf(markdown, heading).length < 3)).toEqual([]);
  });

  it("confirms by commands", () => {
    const steps = itemsOf(markdown, "Confirm");
    expect(steps.filter(({ command }) => command === null)).toEqual([]);
    expect(steps.filter(({ effect }) => effect === "changes_state")).toEqual([]);
  });

  it("says of every mitigating step what it does, and of every change how to take it back", () => {
    const steps = itemsOf(markdown, "Mitigate");
    expect(steps.filter(({ effect }) => effect === null)).toEqual([]);
    expect(steps.filter(({ effect, undo }) => effect === "changes_state" && !undo)).toEqual([]);
  });

  it("closes every code fence", () => {
    expect((markdown.match(/^\s*```/gm) ?? []).length % 2).toBe(0);
  });
});
