// Replays recorded calls on the simulated stores: each after the call that it followed, and again after a refusal.

import { retryPauseMs } from "../../../../functions/dependencies.ts";
import type { Figures } from "../figures/figures.ts";
import { createEmbeddingService } from "../platform/bindings.ts";
import { createSimulatedDatabase } from "../platform/database.ts";
import { callOverNetwork, type Invocation } from "../platform/invocation.ts";
import { createPool, type Pool, type UseRecorder } from "../platform/resources.ts";
import { predecessorsOf, type RecordedCall } from "../platform/traces.ts";
import { createSimulatedVectorStore } from "../platform/vector-store.ts";
import type { VirtualClock } from "../platform/virtual-clock.ts";

export interface Shared {
  readonly clock: VirtualClock;
  readonly recorder: UseRecorder;
  readonly figures: Figures;
}

export interface CallReplay {
  /**
   * Replays a trace.
   * @param last the SQL function that ends the returned promise; the calls after it go on
   * @returns false if the last call, or without it any call, was refused for good
   */
  replay(trace: readonly RecordedCall[], by: Invocation, last: string): Promise<boolean>;
  /** Traces whose calls have not all ended. */
  readonly running: number;
}

/** Of each call, as the adapters of the product retry. */
const RETRIES = { sql: 1, chroma: 3, embed: 1 } as const;

export function createCallReplay(shared: Shared, collections: readonly string[]): CallReplay {
  const { clock } = shared;
  const serve = createStores(shared, collections);
  let running = 0;
  const replayCall = async (call: RecordedCall, by: Invocation): Promise<boolean> => {
    for (let retry = 0; ; retry++) {
      if (await serve(call, by)) return true;
      if (retry >= RETRIES[call.store]) return false;
      await clock.sleep(retryPauseMs(retry));
    }
  };
  return {
    get running() {
      return running;
    },
    replay(trace, by, last) {
      const predecessors = predecessorsOf(trace);
      const ends: Promise<boolean>[] = [];
      trace.forEach((call, i) => {
        const before = ends[predecessors[i] ?? -1];
        ends.push(Promise.resolve(before).then(() => replayCall(call, by)));
      });
      running += 1;
      const all = Promise.all(ends).then((answered) => {
        running -= 1;
        return answered.every(Boolean);
      });
      // The calls after the last one are background tasks.
      clock.start(async () => void (await all));
      const place = trace.findIndex(({ name }) => name === last);
      if (place < 0) return all;
      return Promise.all(ends.slice(0, place + 1)).then((answered) => answered.every(Boolean));
    },
  };
}

/** @returns serves one call, and whether it was answered */
function createStores({ clock, recorder, figures }: Shared, collections: readonly string[]) {
  const database = createSimulatedDatabase({ clock, recorder, figures, url: "http://replay.invalid" });
  const vectors = createSimulatedVectorStore({ clock, recorder, figures, collections, fingerprint: "" });
  const embed = createEmbeddingService({ clock, recorder, figures });
  const nothing = async () => Response.json(null);
  return async (call: RecordedCall, by: Invocation): Promise<boolean> => {
    if (call.store === "embed") return embed();
    const answer = await callOverNetwork(clock, by, () =>
      call.store === "sql" ? database.serve(call, nothing) : vectors.serve(call, () => null),
    );
    return answer.ok;
  };
}

export function createCpu({ clock, recorder }: Shared, name: "request_cpu" | "triage_cpu"): Pool {
  return createPool({ clock, recorder, name, size: 1 });
}

export function createInvocation(
  { clock, recorder, figures }: Shared,
  by: Pick<Invocation, "cpu" | "cpuMsPerCall" | "roundTripMs">,
): Invocation {
  const size = figures.limits.workerConnections;
  return { ...by, connections: createPool({ clock, recorder, name: "worker_connections", size }) };
}
