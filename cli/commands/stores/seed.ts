// `dejavu seed`: loads the runbooks that ship with Dejavu through the service.

import { setTimeout as sleep } from "node:timers/promises";
import { describeLoaded, loadBuiltInRunbooks } from "../../built-in-runbooks.ts";
import { type Invocation, printResult } from "../../service/invocation.ts";

export async function run({ options, cli }: Invocation): Promise<void> {
  const onProgress = (done: number, total: number) =>
    cli.progress(done === total ? "" : `loads the built-in runbooks: ${done} of ${total}`);
  const loaded = await loadBuiltInRunbooks(await cli.service(), { sleep, onProgress });
  printResult({ cli, options }, loaded, () => describeLoaded(loaded));
}
