import { describe, expect, it } from "vitest";
import { callDependency, DependencyError, type DependencyFailure } from "../../functions/dependencies.ts";
import type { StartTimer } from "../../functions/timers.ts";
import { createTestTimers } from "../support/test-timers.ts";

const { startTimer, expire, running } = createTestTimers();
const CALL = { dependency: "language_model", timeoutMs: 30_000, retries: 2, startTimer } as const;
/** The system asks for no pause. */
const AT_ONCE = { retryAfterMs: 0 };

const fail = (failure: DependencyFailure, options = {}) =>
  new DependencyError("language_model", failure, "detail", options);

/** Work that fails in these ways, one after the other, and then succeeds. */
function failing(errors: readonly unknown[]) {
  let calls = 0;
  return {
    calls: () => calls,
    work: async () => {
      const error = errors[calls];
      calls += 1;
      if (error !== undefined) throw error;
      return "done";
    },
  };
}

/** Work that never ends by itself, and does not listen to its signal either. */
const endless = () => new Promise<never>(() => {});

/** How a call ended: its failure, or "done". */
async function ending(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return "done";
  } catch (error) {
    if (error instanceof DependencyError) return error.failure;
    throw error;
  }
}

describe("a call that succeeds", () => {
  it("is made once and gives what the work gives", async () => {
    const { work, calls } = failing([]);
    expect(await callDependency(CALL, work)).toBe("done");
    expect(calls()).toBe(1);
  });
});

describe("a call that fails", () => {
  it.each(["unreachable", "busy"] as const)("is tried again after %s", async (failure) => {
    const { work, calls } = failing([fail(failure, AT_ONCE), fail(failure, AT_ONCE)]);
    expect(await callDependency(CALL, work)).toBe("done");
    expect(calls()).toBe(3);
  });

  it("is tried again after pauses that double where the system asks for none", async () => {
    const pauses: number[] = [];
    const recording: StartTimer = (name, ms, action) => {
      if (name === "retry_pause") pauses.push(ms);
      return startTimer(name, ms, action);
    };
    const work = () => Promise.reject(fail("unreachable"));
    expect(await ending(callDependency({ ...CALL, retries: 3, startTimer: recording }, work))).toBe("unreachable");
    expect(pauses).toEqual([50, 100, 200]);
  });

  it("is tried as often as it may be, and ends with the last failure", async () => {
    const { work, calls } = failing([
      fail("unreachable", AT_ONCE),
      fail("unreachable", AT_ONCE),
      fail("busy", AT_ONCE),
      fail("refused"),
    ]);
    expect(await ending(callDependency(CALL, work))).toBe("busy");
    expect(calls()).toBe(3);
  });

  it("is made once where it must not be done twice", async () => {
    const { work, calls } = failing([fail("unreachable", AT_ONCE)]);
    expect(await ending(callDependency({ ...CALL, retries: 0 }, work))).toBe("unreachable");
    expect(calls()).toBe(1);
  });

  it.each(["timeout", "refused", "invalid_response", "model_mismatch", "cancelled"] as const)(
    "is not tried again after %s",
    async (failure) => {
      const { work, calls } = failing([fail(failure, AT_ONCE)]);
      expect(await ending(callDependency(CALL, work))).toBe(failure);
      expect(calls()).toBe(1);
    },
  );

  it("takes what is no failure of ours for a lost connection, and keeps it as the cause", async () => {
    const lost = new TypeError("fetch failed");
    const call = callDependency({ ...CALL, retries: 0 }, failing([lost]).work);
    await expect(call).rejects.toMatchObject({ dependency: "language_model", failure: "unreachable", cause: lost });
    await expect(call).rejects.not.toThrow("fetch failed");
  });

  it("takes work that throws at once for work that fails", async () => {
    const work = () => {
      throw fail("refused");
    };
    expect(await ending(callDependency(CALL, work))).toBe("refused");
  });
});

describe("a system that asks to be left alone", () => {
  it.each(["busy", "unreachable"] as const)(
    "is given up at once after %s where that takes more than half of the time",
    async (failure) => {
      const error = fail(failure, { retryAfterMs: 15_001 });
      const { work, calls } = failing([error]);
      await expect(callDependency(CALL, work)).rejects.toBe(error);
      expect(calls()).toBe(1);
    },
  );

  it("is asked again where there is time for the pause", async () => {
    const { work, calls } = failing([fail("busy", { retryAfterMs: 5 })]);
    expect(await callDependency({ ...CALL, timeoutMs: 10_000 }, work)).toBe("done");
    expect(calls()).toBe(2);
  });
});

describe("the deadline", () => {
  it("ends a call whose transport does not listen", async () => {
    const call = ending(callDependency(CALL, endless));
    expect(running()).toEqual(["language_model"]);
    await expire("language_model");
    expect(await call).toBe("timeout");
  });

  it("is over when the call has ended", async () => {
    await callDependency(CALL, failing([]).work);
    expect(running()).toEqual([]);
  });

  it("reaches the transport, whose own error is a time-out then", async () => {
    const work = (signal: AbortSignal) =>
      new Promise<never>((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
      });
    const call = ending(callDependency(CALL, work));
    await expire("language_model");
    expect(await call).toBe("timeout");
  });

  it("holds for all tries together", async () => {
    const second = Promise.withResolvers<void>();
    let calls = 0;
    const work = async () => {
      calls += 1;
      if (calls === 1) throw fail("unreachable", AT_ONCE);
      second.resolve();
      return endless();
    };
    const call = ending(callDependency(CALL, work));
    await second.promise;
    expect(running()).toEqual(["language_model"]);
    await expire("language_model");
    expect(await call).toBe("timeout");
  });
});

describe("a caller that disconnects", () => {
  it("ends the call, which is no time-out", async () => {
    const caller = new AbortController();
    const call = callDependency({ ...CALL, cancelled: caller.signal }, endless);
    caller.abort();
    expect(await ending(call)).toBe("cancelled");
  });

  it("is heard by the transport", async () => {
    const caller = new AbortController();
    let heard = false;
    const call = callDependency({ ...CALL, cancelled: caller.signal }, (signal) => {
      signal.addEventListener("abort", () => {
        heard = true;
      });
      return endless();
    });
    caller.abort();
    await ending(call);
    expect(heard).toBe(true);
  });

  it("makes no call at all where he went before it", async () => {
    const { work, calls } = failing([]);
    expect(await ending(callDependency({ ...CALL, cancelled: AbortSignal.abort() }, work))).toBe("cancelled");
    expect(calls()).toBe(0);
  });

  it("gets no further try, though the system asked for a pause that would leave time for one", async () => {
    const caller = new AbortController();
    let calls = 0;
    const call = callDependency({ ...CALL, cancelled: caller.signal }, async () => {
      calls += 1;
      queueMicrotask(() => caller.abort());
      throw fail("busy", { retryAfterMs: 10_000 });
    });
    expect(await ending(call)).toBe("cancelled");
    expect(calls).toBe(1);
  });

  it("changes nothing where he stays", async () => {
    const { signal } = new AbortController();
    expect(await ending(callDependency({ ...CALL, cancelled: signal }, failing([]).work))).toBe("done");
    const call = ending(callDependency({ ...CALL, cancelled: signal }, endless));
    await expire("language_model");
    expect(await call).toBe("timeout");
  });
});

describe("an DependencyError", () => {
  it("names system and failure, and how long to wait where that is known", () => {
    const cause = new Error("x");
    const error = new DependencyError("vector_store", "busy", "the server answered 429", {
      cause,
      retryAfterMs: 2_000,
    });
    expect(error).toMatchObject({
      name: "DependencyError",
      dependency: "vector_store",
      failure: "busy",
      retryAfterMs: 2_000,
      cause,
    });
    expect(error.message).toBe("vector_store: the server answered 429");
    expect(new DependencyError("vector_store", "timeout", "x").retryAfterMs).toBeUndefined();
  });
});
