// `npm run memory`: shows the memory of the local stack or of any deployment.

import { parseArgs } from "node:util";
import { z } from "zod";
import { observationDetailSchema } from "../functions/incidents/observation-detail.ts";
import {
  observationEntrySchema,
  outboxEntrySchema,
  pastAnswerEntrySchema,
  procedureEntrySchema,
  sessionSchema,
} from "../functions/memory/memory-lists.ts";
import { memorySearchSchema } from "../functions/routes/v1/memory-search.ts";
import { findService, problemIn, terminal } from "./find-service.ts";
import {
  renderObservations,
  renderOutbox,
  renderPastAnswers,
  renderProcedures,
  renderSearch,
  renderSessions,
} from "./render-memory.ts";
import { renderRecord } from "./render-record.ts";
import type { RenderOptions } from "./render-triage.ts";

/** Above the time limit of recall. */
const REQUEST_TIMEOUT_MS = 60_000;
/** Maximum width in columns. */
const WIDTH = 200;

const USAGE = `Usage: npm run memory [-- options]

Shows observations, last seen first. Or:
  --show <id>            a record: what identifies it, its fixes and incidents, and why it is as it is
  --search "<query>"     what the query recalls, with the parts of each score
  --past-answers         past answers, newest first
  --sessions             sessions with past answers
  --procedures           procedures, last used first
  --outbox               pending index writes

  --domain <name>        only this technology or team
  --session <id>         with --search: ranks its answers higher; with --past-answers: only this session
  --limit <n>            rows of a list, 1 to 100; 20 by default
  --json                 print the response as JSON
  --url <url>            a service other than the local stack; DEJAVU_TOKEN holds its token
  --help                 print this`;

const paged = { next_cursor: z.string().nullable() };

/** The views: path, supported filters, and rendering. */
const VIEWS = {
  observations: view("observations", ["domain", "limit"], {
    schema: z.object({ observations: z.array(observationEntrySchema), ...paged }),
    render: ({ observations, next_cursor }, options) =>
      withMore(renderObservations(observations, options), next_cursor),
  }),
  "past-answers": view("past-answers", ["domain", "session_id", "limit"], {
    schema: z.object({ past_answers: z.array(pastAnswerEntrySchema), ...paged }),
    render: ({ past_answers, next_cursor }, options) => withMore(renderPastAnswers(past_answers, options), next_cursor),
  }),
  sessions: view("sessions", ["limit"], {
    schema: z.object({ sessions: z.array(sessionSchema), ...paged }),
    render: ({ sessions, next_cursor }, options) => withMore(renderSessions(sessions, options), next_cursor),
  }),
  procedures: view("procedures", ["domain", "limit"], {
    schema: z.object({ procedures: z.array(procedureEntrySchema), ...paged }),
    render: ({ procedures, next_cursor }, options) => withMore(renderProcedures(procedures, options), next_cursor),
  }),
  outbox: view("outbox", ["limit"], {
    schema: z.object({ pending: z.array(outboxEntrySchema), total: z.number().int() }),
    render: ({ pending, total }, options) => renderOutbox(pending, total, options),
  }),
  show: view("observations", [], { schema: observationDetailSchema, render: renderRecord }),
  search: view("search", ["query", "domain", "session_id"], {
    schema: memorySearchSchema,
    render: renderSearch,
  }),
};

interface View {
  readonly path: string;
  readonly filters: readonly string[];
  /** @throws ZodError on an invalid response */
  readonly show: (answer: unknown, options: RenderOptions) => string;
}

function view<T>(
  path: string,
  filters: readonly string[],
  { schema, render }: { readonly schema: z.ZodType<T>; readonly render: (answer: T, options: RenderOptions) => string },
): View {
  return { path, filters, show: (answer, options) => render(schema.parse(answer), options) };
}

function withMore(table: string, nextCursor: string | null): string {
  return nextCursor === null ? table : `${table}\n\nThere are more rows: see --limit, --domain and --session.`;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      show: { type: "string" },
      search: { type: "string" },
      "past-answers": { type: "boolean", default: false },
      sessions: { type: "boolean", default: false },
      procedures: { type: "boolean", default: false },
      outbox: { type: "boolean", default: false },
      domain: { type: "string" },
      session: { type: "string" },
      limit: { type: "string" },
      json: { type: "boolean", default: false },
      url: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  const { show, search, domain, session, limit } = values;
  const flags = (["past-answers", "sessions", "procedures", "outbox"] as const).filter((name) => values[name]);
  const named = [
    ...(show === undefined ? [] : (["show"] as const)),
    ...(search === undefined ? [] : (["search"] as const)),
    ...flags,
  ];
  if (values.help || named.length > 1) {
    console.log(USAGE);
    if (!values.help) process.exitCode = 2;
    return;
  }
  const chosen = VIEWS[named[0] ?? (session === undefined ? "observations" : "past-answers")];
  const filters = { query: search, domain, session_id: session, limit };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filters)) {
    if (value === undefined) continue;
    if (!chosen.filters.includes(name))
      throw new Error(`--${name.replace("_id", "")} does not apply to ${chosen.path}.`);
    query.set(name, value);
  }
  const path = show === undefined ? chosen.path : `${chosen.path}/${encodeURIComponent(show)}`;
  const answer = await ask(values.url, `/v1/memory/${path}?${query}`);
  console.log(values.json ? JSON.stringify(answer, null, 2) : chosen.show(answer, terminal(WIDTH)));
}

async function ask(baseUrl: string | undefined, path: string): Promise<unknown> {
  const { url, token } = findService(baseUrl);
  const response = await fetch(new URL(path, url), {
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  if (!response.ok) throw await problemIn(response);
  return response.json();
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
