import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { bootServices } from "../../../../dev/stack/boot-services.ts";
import type { ProgressEvent } from "../../../../dev/stack/stack.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("says every 10 s what a start waits for, until it ends", async () => {
  const started = Promise.withResolvers<void>();
  const service = { name: "worker", port: 8_000, start: () => started.promise };
  const events: ProgressEvent[] = [];
  const booted = bootServices({
    workspace: { paths: { logs: "/logs" } } as never,
    services: new Map([["worker", service as never]]),
    superuserUrl: "",
    projectDir: "",
    report: (event) => events.push(event),
    abort: new AbortController(),
  });
  await vi.advanceTimersByTimeAsync(20_000);
  started.resolve();
  await booted;
  await vi.advanceTimersByTimeAsync(20_000);
  const waiting = { state: "waiting", waitsFor: "no answer on port 8000 yet", logPath: "/logs/worker.log" };
  expect(events).toMatchObject([{ state: "started" }, waiting, waiting, { state: "ready" }]);
});
