// Traces of a run: the calls to other systems of each webhook and of each investigation, to replay them under other limits.

/** A call that was answered. */
export interface RecordedCall {
  readonly store: "sql" | "chroma" | "embed";
  /** The SQL function or the action of the vector store. */
  readonly name: string;
  readonly alerts: number;
  readonly locks: readonly string[];
  /** Of the vector store; empty for others. */
  readonly collection: string;
  readonly startedAt: number;
  readonly endedAt: number;
}

export type CallToRecord = Omit<RecordedCall, "startedAt" | "endedAt">;

export interface TraceRecorder {
  /** Adds an answered call to the trace of its webhook or investigation. */
  add(key: string, call: RecordedCall): void;
  readonly traces: ReadonlyMap<string, readonly RecordedCall[]>;
}

export function createTraceRecorder(): TraceRecorder {
  const traces = new Map<string, RecordedCall[]>();
  return {
    traces,
    add(key, call) {
      const trace = traces.get(key) ?? [];
      trace.push(call);
      traces.set(key, trace);
    },
  };
}

/**
 * The place of the call that each call followed: the last one that had ended when it started; -1 for a call that followed
 * none.
 */
export function predecessorsOf(trace: readonly RecordedCall[]): number[] {
  return trace.map(({ startedAt }) => {
    let latest = -1;
    trace.forEach(({ endedAt }, i) => {
      if (endedAt <= startedAt && endedAt > (trace[latest]?.endedAt ?? -1)) latest = i;
    });
    return latest;
  });
}
