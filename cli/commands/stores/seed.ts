// `dejavu seed`: loads texts that ship with Dejavu through the service: the built-in runbooks, or the samples.

import { setTimeout as sleep } from "node:timers/promises";
import { describeLoaded, loadBuiltInRunbooks } from "../../built-in-runbooks.ts";
import { loadSampleInventory, removeSamples, SAMPLE_TEXTS } from "../../seed-samples.ts";
import { CommandError } from "../../service/command-error.ts";
import { type Invocation, printResult } from "../../service/invocation.ts";
import { addTexts, describeCounts } from "../runbooks/runbooks-add.ts";

export interface SeedOptions {
  readonly samples?: boolean;
  readonly removeSamples?: boolean;
}

export async function run({ options, cli }: Invocation<SeedOptions>): Promise<void> {
  const { samples, removeSamples: isRemoval } = options;
  if (samples && isRemoval) throw new CommandError("usage", "Give one of --samples and --remove-samples.");
  const service = await cli.service();
  if (samples) {
    const texts = await addTexts(SAMPLE_TEXTS, {}, cli);
    const documents = await loadSampleInventory(service);
    printResult({ cli, options }, { texts, documents }, () =>
      [describeCounts(texts), `${documents} documents of the inventory. Remove them with --remove-samples.`].join(" "),
    );
  } else if (isRemoval) {
    await removeSamples(service);
    printResult({ cli, options }, { removed: true }, () => "Removed the samples.");
  } else {
    const onProgress = (done: number, total: number) =>
      cli.progress(done === total ? "" : `loads the built-in runbooks: ${done} of ${total}`);
    const loaded = await loadBuiltInRunbooks(service, { sleep, onProgress });
    printResult({ cli, options }, loaded, () => describeLoaded(loaded));
  }
}
