// `npm run trace`: shows a trace that the local stack's collector stored.

import { parseArgs } from "node:util";
import { attribute, rootOf, type TraceRecord } from "../dev/collector/trace-record.ts";
import { readTraces } from "../dev/collector/trace-store.ts";
import { REPO_DIR, stackPaths } from "../dev/stack/paths.ts";
import { terminal } from "./find-service.ts";
import { renderTrace, renderTraceList } from "./render-trace.ts";

/** Maximum width in columns. */
const WIDTH = 140;
const MAX_LISTED = 20;
/** Minimum characters of an id. */
const MIN_ID_LENGTH = 6;

const USAGE = `Usage: npm run trace [-- <id>] [options]

Shows the newest triage step by step: searches, hits, model calls and decisions, with the duration of each step.

  <id>            of a triage, an incident or a trace, or its first characters
  --list          the last ${MAX_LISTED} traces, newest first
  --json          print the stored trace as JSON
  --dir <folder>  the stack's data folder; .dejavu by default
  --help          print this

The stack that "npm start" runs keeps the last 200 traces, unless OTLP_ENDPOINT sends them elsewhere.`;

function main(): void {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      list: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      dir: { type: "string", default: `${REPO_DIR}/.dejavu` },
      help: { type: "boolean", default: false },
    },
  });
  const [id, ...others] = positionals;
  if (values.help || others.length > 0) {
    console.log(USAGE);
    if (!values.help) process.exitCode = 2;
    return;
  }
  const traces = readTraces(stackPaths(values.dir).traces).sort((a, b) => startOf(b) - startOf(a));
  const chosen = values.list ? traces.slice(0, MAX_LISTED) : [id === undefined ? newest(traces) : find(traces, id)];
  if (values.json) console.log(JSON.stringify(values.list ? chosen : chosen[0], null, 2));
  else if (values.list) console.log(renderTraceList(chosen, terminal(WIDTH)));
  else for (const trace of chosen) console.log(renderTrace(trace, terminal(WIDTH)));
}

function newest(traces: readonly TraceRecord[]): TraceRecord {
  const trace = traces.find((each) => rootOf(each)?.name === "triage") ?? traces[0];
  if (trace) return trace;
  throw new Error(
    'No traces are stored. Run "npm start", and in another terminal npm run triage -- "<what happened>".',
  );
}

function find(traces: readonly TraceRecord[], id: string): TraceRecord {
  if (id.length < MIN_ID_LENGTH) throw new Error(`Give at least ${MIN_ID_LENGTH} characters of an id.`);
  const trace = traces.find((each) => idsOf(each).some((traceId) => traceId.startsWith(id.toLowerCase())));
  if (trace) return trace;
  throw new Error(`No trace of ${id} is stored. List the traces with npm run trace -- --list.`);
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

try {
  main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
