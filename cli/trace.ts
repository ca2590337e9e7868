// `npm run trace`: shows how an answer of the local stack came about, from what its collector has kept.

import { parseArgs } from "node:util";
import { attribute, rootOf, type TraceRecord } from "../dev/collector/trace-record.ts";
import { readTraces } from "../dev/collector/trace-store.ts";
import { REPO_DIR, stackPaths } from "../dev/stack/paths.ts";
import { terminal } from "./find-service.ts";
import { renderTrace, renderTraceList } from "./render-trace.ts";

/** Columns beyond which a bar is hard to follow. */
const WIDTH = 140;
const MAX_LISTED = 20;
/** Characters of an id that name it. */
const MIN_ID_LENGTH = 6;

const USAGE = `Usage: npm run trace [-- <id>] [options]

Shows the newest triage step by step: what was searched, found, asked and decided, and how long each step took.

  <id>            of a triage, an incident or a trace, or how it begins
  --list          the last ${MAX_LISTED} traces, newest first
  --json          print what is kept of it
  --dir <folder>  the stack's data, where it is not .dejavu
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
  const found = traces.find((trace) => rootOf(trace)?.name === "triage") ?? traces[0];
  if (found) return found;
  throw new Error('No traces are kept. Run "npm start", and in another terminal npm run triage -- "<what happened>".');
}

function find(traces: readonly TraceRecord[], id: string): TraceRecord {
  if (id.length < MIN_ID_LENGTH) throw new Error(`${MIN_ID_LENGTH} characters of an id are the least.`);
  const found = traces.find((trace) => idsOf(trace).some((each) => each.startsWith(id.toLowerCase())));
  if (found) return found;
  throw new Error(`No trace of ${id} is kept. npm run trace -- --list shows which are.`);
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
