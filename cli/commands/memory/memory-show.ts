// `dejavu memory show`: the record of one failure.

import { observationDetailSchema } from "../../../functions/incidents/observation-detail.ts";
import { renderRecord } from "../../render-record.ts";
import { call, parseAnswer, pathOf } from "../../service/client.ts";
import { type Invocation, printResult } from "../../service/invocation.ts";
import { observationId } from "../../service/observation-id.ts";

const MAX_COLUMNS = 200;

export async function run({ args, options, cli }: Invocation): Promise<void> {
  const [text = ""] = args;
  const service = await cli.service();
  const id = await observationId(service, text);
  const answer = await call(service, { path: pathOf("memory", "observations", id) });
  const record = parseAnswer(service, answer, observationDetailSchema);
  printResult({ cli, options }, answer, () => renderRecord(record, cli.terminal(MAX_COLUMNS)));
}
