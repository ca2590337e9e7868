import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { QUEUES } from "../../../functions/jobs/queues.ts";

const configuration = readFileSync(new URL("../../../wrangler.toml", import.meta.url), "utf8");

/** Queue names in the sections of this heading, in the order of the file. */
function queuesOf(heading: string): string[] {
  const sections = configuration.split(/^(?=\[)/m).filter((section) => section.startsWith(`[[${heading}]]`));
  return sections.flatMap((section) => [...section.matchAll(/^queue = "(.*)"$/gm)].map(([, name]) => name ?? ""));
}

describe("the queues", () => {
  it.each(["", "env.production."])("are those of wrangler.toml: %j", (environment) => {
    expect(queuesOf(`${environment}queues.consumers`).toSorted()).toEqual(Object.values(QUEUES).toSorted());
    expect(queuesOf(`${environment}queues.producers`).toSorted()).toEqual(
      [QUEUES.outbox, QUEUES.triages, QUEUES.writes].toSorted(),
    );
  });

  it("give what cannot be delivered to the one that ends it", () => {
    const deadLetterQueues = [QUEUES.deadTriages, QUEUES.deadWrites].map((name) => `dead_letter_queue = "${name}"`);
    expect(configuration.match(/^dead_letter_queue = .*$/gm)).toEqual([...deadLetterQueues, ...deadLetterQueues]);
  });
});
