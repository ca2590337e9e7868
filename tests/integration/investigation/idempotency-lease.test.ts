// Idempotency keys of runs that live, die, or lose their key to another run.

import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createHarness, deleteIncidents, type Harness, sql, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { type LyingServer, lyingServer } from "../support/servers/lying-server.ts";

const OOM = { title: "api-gateway docker container exited with code 137", target: "api-gateway", severity: "critical" };
const KEY = { "idempotency-key": "pager-42" };
/** A little more than the lease. */
const LEASE_MS = 11_000;

const direct = createHarness();

beforeAll(() => loadFreshRunbooks(direct.services, workerEnv));
beforeEach(() => deleteIncidents(direct.services));

interface HeldRun extends AsyncDisposable {
  readonly harness: Harness;
  /** Its response, once the run goes on. */
  readonly response: Promise<Response>;
  /** Resolves when the run has come to this step. */
  readonly isHeld: Promise<void>;
  /** Ends the interval before the next renewal, and waits for that. */
  renewLease(): Promise<void>;
  goOn(): void;
}

/** Starts a request with the key, in an isolate whose calls of this SQL function wait until the run goes on. */
async function holdRun(step: string): Promise<HeldRun> {
  let renewed = Promise.withResolvers<void>();
  const arrival = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  const database: LyingServer = await lyingServer({
    forwardTo: workerEnv.SUPABASE_URL ?? "",
    before: async (path) => {
      if (!path.endsWith(`/${step}`)) return undefined;
      arrival.resolve();
      await opened.promise;
      return undefined;
    },
    after: (path) => path.endsWith("/renew_idempotency_lease") && renewed.resolve(),
  });
  const harness = createHarness({ SUPABASE_URL: database.url });
  return {
    harness,
    response: harness.post("/v1/triage", OOM, KEY),
    isHeld: arrival.promise,
    async renewLease() {
      renewed = Promise.withResolvers();
      await harness.expire("idempotency_lease");
      await renewed.promise;
    },
    goOn: opened.resolve,
    [Symbol.asyncDispose]: async () => {
      opened.resolve();
      await database[Symbol.asyncDispose]();
    },
  };
}

const startedAt = async (): Promise<unknown> =>
  (await sql`select started_at from public.idempotency_keys`)[0]?.started_at;

describe("a run with an idempotency key", () => {
  it("renews its lease as long as it lives, so that a repeated request waits", async () => {
    await using run = await holdRun("search_collections");
    await run.isHeld;
    for (let i = 0; i < 3; i++) {
      run.harness.clock.advance(LEASE_MS);
      await run.renewLease();
      direct.clock.advance(run.harness.clock.now().getTime() - direct.clock.now().getTime());
      expect(await startedAt()).toEqual(direct.clock.now());
      const repeated = await direct.post("/v1/triage", OOM, KEY);
      expect(repeated.status).toBe(409);
      expect(Number(repeated.headers.get("retry-after"))).toBeLessThanOrEqual(2);
    }
    run.goOn();
    expect((await run.response).status).toBe(200);
    expect((await direct.post("/v1/triage", OOM, KEY)).headers.get("idempotent-replayed")).toBe("true");
  });

  it("is taken over within seconds when it does not renew its lease", async () => {
    await using dead = await holdRun("finish_run");
    await dead.isHeld;
    const successor = createHarness();
    expect((await successor.post("/v1/triage", OOM, KEY)).status).toBe(409);
    successor.clock.advance(LEASE_MS);
    const response = await successor.post("/v1/triage", OOM, KEY);
    expect(response.status).toBe(200);
    const result = (await response.json()) as { incident_id: string };
    const statuses = async () =>
      (await sql`select status from public.incidents order by status`).map((row) => row.status);
    expect(await statuses()).toEqual(["failed", "triaged"]);

    // It was only slow. Of both answers, one is stored, and both callers get that one.
    dead.goOn();
    const late = await dead.response;
    expect(late.headers.get("idempotent-replayed")).toBe("true");
    expect(await late.json()).toMatchObject({ incident_id: result.incident_id });
    expect(await sql`select incident_id from public.triages`).toMatchObject([{ incident_id: result.incident_id }]);
    expect(await statuses()).toEqual(["failed", "triaged"]);
    expect(await sql`select 1 from public.observations`).toHaveLength(1);
  });

  it("stores nothing while another run holds its key, and its caller is asked to repeat the request", async () => {
    await using first = await holdRun("finish_run");
    await first.isHeld;
    // Another run took the key over and lives.
    await sql`update public.idempotency_keys set incident_id = gen_random_uuid()`;
    first.goOn();
    expect((await first.response).status).toBe(409);
    expect(await sql`select 1 from public.triages`).toEqual([]);
  });

  it("makes no additional call when it is short", async () => {
    await using database = await lyingServer({ forwardTo: workerEnv.SUPABASE_URL ?? "" });
    const harness = createHarness({ SUPABASE_URL: database.url });
    await harness.post("/v1/triage", OOM, KEY);
    expect(database.requests.filter((request) => request.includes("renew_idempotency_lease"))).toEqual([]);
  });
});
