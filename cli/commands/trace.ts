// `dejavu trace`: shows a trace that the local stack's collector stored.

import { attribute, rootOf, type TraceRecord } from "../../dev/collector/trace-record.ts";
import { readTraces } from "../../dev/collector/trace-store.ts";
import { REPO_DIR, stackPaths } from "../../dev/stack/paths.ts";
import { displayJson } from "../../lib/text/display-text.ts";
import { renderTrace, renderTraceList } from "../render-trace.ts";
import { CommandError } from "../service/command-error.ts";
import { LAST, MIN_ID_LENGTH } from "../service/incident-id.ts";
import type { Invocation } from "../service/invocation.ts";

export interface TraceOptions {
  readonly list?: boolean;
  readonly dir?: string;
}

const MAX_COLUMNS = 140;
const MAX_LISTED = 20;

export async function run({ args, options, cli }: Invocation<TraceOptions>): Promise<void> {
  const [id] = args;
  const folder = options.dir ?? `${REPO_DIR}/.dejavu`;
  const traces = readTraces(stackPaths(folder).traces).sort((a, b) => startOf(b) - startOf(a));
  const isNewest = id === undefined || id === LAST;
  const chosen = options.list ? traces.slice(0, MAX_LISTED) : [isNewest ? newest(traces) : find(traces, id)];
  const size = cli.terminal(MAX_COLUMNS);
  if (options.json) cli.print(displayJson(options.list ? chosen : chosen[0]));
  else if (options.list) cli.print(renderTraceList(chosen, size));
  else for (const trace of chosen) cli.print(renderTrace(trace, size));
}

function newest(traces: readonly TraceRecord[]): TraceRecord {
  const trace = traces.find((each) => rootOf(each)?.name === "triage") ?? traces[0];
  if (trace) return trace;
  throw new CommandError(
    "notFound",
    'No traces are stored. Run "npm start", and in another terminal: dejavu triage "<what happened>"',
  );
}

function find(traces: readonly TraceRecord[], id: string): TraceRecord {
  if (id.length < MIN_ID_LENGTH) throw new CommandError("usage", `Give at least ${MIN_ID_LENGTH} characters of an id.`);
  const trace = traces.find((each) => idsOf(each).some((traceId) => traceId.startsWith(id.toLowerCase())));
  if (trace) return trace;
  throw new CommandError("notFound", `No trace of ${id} is stored. List the traces with: dejavu trace --list`);
}

function idsOf(trace: TraceRecord): string[] {
  const root = rootOf(trace);
  return [
    trace.traceId,
    ...(root ? ["dejavu.triage_id", "dejavu.incident_id"].map((name) => attribute(root, name)) : []),
  ];
}

function startOf(trace: TraceRecord): number {
  return rootOf(trace)?.start ?? trace.receivedAt;
}
