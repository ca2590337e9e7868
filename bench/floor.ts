// `npm run bench -- floor`: the rank of the right runbook for each graded question. Also prints its ranking features
// and the runbook that came first. The floors are in tests/extended/evaluation/everything.test.ts.

import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeSeed, seedRunbooks } from "../cli/seed-runbooks.ts";
import { renderTable } from "../cli/table.ts";
import { startStack } from "../dev/stack/start-stack.ts";
import type { RecalledRunbook } from "../functions/investigation/recall/recall-result.ts";
import { createServices } from "../functions/services.ts";
import { GRADES, SEED_QUERIES } from "../tests/integration/support/seed-queries.ts";
import { foundWithin, recallSeedQueries, type SeedRecall } from "../tests/integration/support/seed-recall.ts";

const TABLE_OPTIONS = { width: process.stdout.columns ?? 220, color: process.stdout.isTTY ?? false };

console.log("Starting a throw-away stack and loading the runbooks (half a minute) …");
const stack = await startStack({
  dir: await mkdtemp(join(tmpdir(), "dejavu-bench-")),
  ephemeral: true,
  services: ["gateway", "chroma"],
});
try {
  console.log(describeSeed(await seedRunbooks({ env: stack.workerEnv })));
  await measure();
} finally {
  await stack.stop();
}

async function measure(): Promise<void> {
  const services = createServices(stack.workerEnv, { log: () => {} });
  const figures: string[][] = [];
  for (const grade of GRADES) {
    const recalls = await recallSeedQueries(services, SEED_QUERIES[grade]);
    const share = (count: number) => (count / recalls.length).toFixed(3);
    const meanReciprocalRank = recalls.reduce((sum, { rank }) => sum + (rank === 0 ? 0 : 1 / rank), 0);
    const grounded = recalls.filter(
      ({ rank, runbooks }) =>
        rank === 1 && (runbooks[0]?.relevance.probability ?? 0) >= services.config.ANSWER_THRESHOLD,
    );
    figures.push([
      grade,
      String(recalls.length),
      share(foundWithin(recalls, 1)),
      share(foundWithin(recalls, 3)),
      share(meanReciprocalRank),
      share(grounded.length),
    ]);
    const header = ["rank", "question", "right runbook", "its features", "first runbook, if another"];
    console.log(`\n${grade}\n${renderTable(header, recalls.map(rowOf), TABLE_OPTIONS)}`);
  }
  console.log(
    `\n${renderTable(["grade", "questions", "R@1", "R@3", "MRR", "R@1 and relevant"], figures, TABLE_OPTIONS)}`,
  );
}

function rowOf({ query, runbooks, rank }: SeedRecall): string[] {
  const [first] = runbooks;
  const right = runbooks[rank - 1];
  return [
    rank === 0 ? "-" : String(rank),
    query.question.title,
    query.runbook,
    right ? featuresOf(right) : "",
    first && rank !== 1 ? `${first.source}: ${featuresOf(first)}` : "",
  ];
}

/** The best chunk's features, each with its place in that feature's list and what it added, and the runbook's relevance. */
function featuresOf({ hits, relevance }: RecalledRunbook): string {
  const features = Object.entries(hits[0]?.contributions ?? {});
  const parts = features.map(([feature, { rank, value }]) => `${feature} #${rank} ${value.toFixed(4)}`);
  return [...parts, `relevance ${relevance.probability.toFixed(2)}`].join(", ");
}
