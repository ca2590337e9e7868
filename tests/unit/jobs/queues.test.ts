import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { QUEUES } from "../../../functions/jobs/queues.ts";

const configuration = readFileSync(new URL("../../../wrangler.toml", import.meta.url), "utf8");

/** Queue names in the sections of this heading, in the order of the file. */
function queuesOf(heading: string): string[] {
  const sections = configuration.split(/^(?=\[)/m).filter((section) => section.startsWith(`[[${heading}]]`));
  return sections.flatMap((section) => [...section.matchAll(/^queue = "(.*)"$/gm)].map(([, name]) => name ?? ""));
}

const PREFIX = /^dejavu-/;
const QUEUE_SECTIONS = [
  { section: "", prefix: "dejavu-" },
  { section: "env.preview.", prefix: "dejavu-preview-" },
];

describe("the queues", () => {
  it.each(QUEUE_SECTIONS)("are those of wrangler.toml: $section", ({ section, prefix }) => {
    const named = (names: readonly string[]) => names.map((name) => name.replace(PREFIX, prefix)).toSorted();
    expect(queuesOf(`${section}queues.consumers`).toSorted()).toEqual(named(Object.values(QUEUES)));
    expect(queuesOf(`${section}queues.producers`).toSorted()).toEqual(
      named([QUEUES.outbox, QUEUES.triages, QUEUES.writes]),
    );
  });

  it("give what cannot be delivered to the one that ends it", () => {
    const deadLetterQueues = QUEUE_SECTIONS.flatMap(({ prefix }) =>
      [QUEUES.deadTriages, QUEUES.deadWrites].map((name) => `dead_letter_queue = "${name.replace(PREFIX, prefix)}"`),
    );
    expect(configuration.match(/^dead_letter_queue = .*$/gm)).toEqual(deadLetterQueues);
  });
});
