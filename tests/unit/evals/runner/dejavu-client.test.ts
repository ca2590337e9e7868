import { describe, expect, it } from "vitest";
import { createDejavu } from "../../../../evals/runner/dejavu-client.ts";

describe("waitForIndex", () => {
  it("waits for an entry behind the first page of pending writes", async () => {
    const older = Array.from({ length: 100 }, (_, i) => ({ document_id: `older-${i}` }));
    let pauses = 0;
    const send = async (path: string) => {
      const isFirst = !path.includes("&cursor=next%2B");
      const own = pauses === 0 ? [{ document_id: "own" }] : [];
      return Response.json(isFirst ? { pending: older, next_cursor: "next+" } : { pending: own, next_cursor: null });
    };
    const clock = { now: () => 0, pause: async () => void pauses++, timeout: () => new AbortController().signal };
    await createDejavu(send, { clock, timeoutMs: 1 }).waitForIndex(new Set(["own"]), {});
    expect(pauses).toBe(1);
  });
});
