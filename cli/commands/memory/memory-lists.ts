// `dejavu memory list` (observations) and the lists of the other layers.

import { z } from "zod";
import {
  memorySessionSchema,
  observationEntrySchema,
  outboxEntrySchema,
  pastAnswerEntrySchema,
  procedureEntrySchema,
} from "../../../functions/memory/memory-lists.ts";
import {
  renderObservations,
  renderOutbox,
  renderPastAnswers,
  renderProcedures,
  renderSessions,
} from "../../render-memory.ts";
import type { RenderOptions } from "../../render-options.ts";
import { call, parseAnswer } from "../../service/client.ts";
import { type Command, printResult } from "../../service/invocation.ts";
import { withMoreRows } from "../../table.ts";

export interface MemoryListOptions {
  readonly limit?: string;
  readonly cursor?: string;
  readonly domain?: string;
  readonly session?: string;
}

const MAX_COLUMNS = 200;

const paged = { next_cursor: z.string().nullable() };

export const observations = list("observations", {
  schema: z.object({ observations: z.array(observationEntrySchema), ...paged }),
  render: ({ observations }, size) => renderObservations(observations, size),
});
export const pastAnswers = list("past-answers", {
  schema: z.object({ past_answers: z.array(pastAnswerEntrySchema), ...paged }),
  render: ({ past_answers }, size) => renderPastAnswers(past_answers, size),
});
export const sessions = list("sessions", {
  schema: z.object({ sessions: z.array(memorySessionSchema), ...paged }),
  render: ({ sessions }, size) => renderSessions(sessions, size),
});
export const procedures = list("procedures", {
  schema: z.object({ procedures: z.array(procedureEntrySchema), ...paged }),
  render: ({ procedures }, size) => renderProcedures(procedures, size),
});
export const outbox = list("outbox", {
  schema: z.object({ pending: z.array(outboxEntrySchema), total: z.number().int(), ...paged }),
  render: ({ pending, total }, size) => renderOutbox(pending, total, size),
});

function list<T extends { readonly next_cursor: string | null }>(
  layer: string,
  { schema, render }: { readonly schema: z.ZodType<T>; readonly render: (page: T, size: RenderOptions) => string },
): Command<MemoryListOptions> {
  return async ({ options, cli }) => {
    const { limit, cursor, domain, session } = options;
    const service = await cli.service();
    const query = { limit, cursor, domain, session_id: session };
    const answer = await call(service, { path: `/v1/memory/${layer}`, query });
    const page = parseAnswer(service, answer, schema);
    printResult({ cli, options }, answer, () =>
      withMoreRows(render(page, cli.terminal(MAX_COLUMNS)), page.next_cursor, cli.nextPage),
    );
  };
}
