// The upgrade from each published release: its Worker on this schema, and this Worker on its schema.

import { rm } from "node:fs/promises";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { currentDocument } from "../../../dev/api-document/current-document.ts";
import { checkDatabase } from "../../../dev/deploy/check-database.ts";
import { currentRelease } from "../../../dev/release/record-release.ts";
import { migrationsOf, publishedReleases } from "../../../dev/release/recorded-releases.ts";
import { type RunningStack, startWholeStack, startWorkerBeside } from "../../e2e/support/stacks.ts";
import { seedSomeRunbooks } from "../../integration/support/inventory.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";
import { writeCurrentProject, writeFormerProject } from "./support/upgrade/projects.ts";
import { during, pushSchema } from "./support/upgrade/push-schema.ts";
import { type QueueBroker, startQueueBroker } from "./support/upgrade/queue-broker.ts";
import {
  alertWebhook,
  CHECKS,
  expectReply,
  failuresOf,
  request,
  triageSchema,
  type WorkerAddress,
} from "./support/upgrade/worker-usage.ts";

const FIX = "Raised the memory limit of the settlement job to 2 GiB.";
const FAILURE = { title: "settlement-job docker container exited with code 137", target: "settlement-job" };
const SESSION = "on-call";
/**
 * Longer than the default of 2 s: on a busy machine a migration holds its locks longer, and a triage that gives up is
 * stored later, with a warning. Here each answer must be stored at once.
 */
const TIMEOUTS = { DEPENDENCY_TIMEOUT_MS: "9000" };
const ANY = z.unknown();
const OUTDATED = "503 urn:dejavu:problem:schema-outdated";

const published = publishedReleases();
// Until a version is published, that of this checkout is its own former one.
const formers = published.length > 0 ? published : [await currentRelease()];

describe.each(formers)("an upgrade from $version", { timeout: 120_000 }, (release) => {
  const isSchemaSame = release.migrations.length === migrationsOf().length;
  let folder: string;
  let broker: QueueBroker;
  let stack: RunningStack;
  let currentStack: RunningStack;
  let former: WorkerAddress;
  let current: WorkerAddress;
  /** A triage that the former Worker stored. */
  let stored: z.infer<typeof triageSchema>;
  const key = crypto.randomUUID();
  const keyed = { body: { ...FAILURE, session_id: SESSION }, headers: { "idempotency-key": key } };

  beforeAll(async () => {
    folder = await scratchFolder("upgrade");
    broker = await startQueueBroker();
    const variables = { ...broker.variables, ...TIMEOUTS };
    stack = await startWholeStack({ variables, projectDir: writeFormerProject(join(folder, "former"), release) });
    currentStack = await startWorkerBeside(stack, {
      projectDir: writeCurrentProject(join(folder, "current")),
      variables: TIMEOUTS,
    });
    const { token } = stack.info;
    former = { url: stack.info.urls.worker, token, api: release.api };
    current = { url: currentStack.info.urls.worker, token, api: currentDocument() };
    await seedSomeRunbooks(stack.workerEnv);
  }, 120_000);
  afterAll(async () => {
    await currentStack?.[Symbol.asyncDispose]();
    await stack?.[Symbol.asyncDispose]();
    await broker?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  it("the former Worker takes data on its own schema", async () => {
    stored = await expectReply(former, "POST /v1/triage", keyed, { status: 200, schema: triageSchema });
    const fix = { body: { resolution: FIX } };
    await expectReply(former, `POST /v1/incidents/${stored.incident_id}/resolve`, fix, { status: 200, schema: ANY });
    await broker.deliver(former.url);
  });

  it("this Worker takes reports on the former schema, and names the schema where it needs the new one", async () => {
    const failures = await failuresOf(current, broker);
    const needed = [
      "a triage with a key",
      "a queued report",
      "an alert that fires and ends",
      "feedback and a fix",
      "every job",
    ];
    expect(failures.filter((failure) => needed.some((name) => failure.startsWith(`${name}:`)))).toEqual([]);
    const unexplained = failures.filter((failure) => isSchemaSame || !failure.includes(OUTDATED));
    expect(unexplained).toEqual([]);
    const replayed = await expectReply(current, "POST /v1/triage", keyed, { status: 200, schema: triageSchema });
    expect(replayed.triage_id).toBe(stored.triage_id);
  });

  if (!isSchemaSame) {
    it("the checks report the former schema", async () => {
      const ready = await request(current, "GET /health/ready");
      expect(ready.body).toMatchObject({
        status: "degraded",
        dependencies: {
          database: { reason: "schema_outdated", action: expect.stringContaining("apply the migrations") },
        },
      });
      const input = { url: stack.info.urls.supabase, serviceRoleKey: stack.info.serviceRoleKey, timeoutMs: 30_000 };
      expect(await checkDatabase(input)).toMatchObject({
        status: "problem",
        text: expect.stringContaining("older"),
        mend: expect.stringContaining("supabase db push"),
      });
    });

    it("no request to the former Worker fails while the migrations are applied", async () => {
      const schema = ANY;
      let count = 0;
      const send = async () => {
        count++;
        const report = { body: { title: `checkout-${count} container exited with code 137` } };
        const triage = await expectReply(former, "POST /v1/triage", report, { status: 200, schema: triageSchema });
        expect(triage).toMatchObject({ persisted: true, warnings: [] });
        const alert = { body: alertWebhook(`During-${count}`, "firing") };
        await expectReply(former, "POST /v1/alerts/alertmanager", alert, { status: 202, schema });
        await expectReply(former, "GET /v1/incidents?limit=100", {}, { status: 200, schema });
      };
      await during(pushSchema(stack.info.urls.postgres, join(folder, "push")), send);
      await broker.deliver(former.url);
    });
  }

  it("the former Worker works on this schema", async () => {
    expect(await failuresOf(former, broker)).toEqual([]);
  });

  it("this Worker works on it, with what the former one stored", async () => {
    expect(await failuresOf(current, broker)).toEqual([]);
    expect((await request(current, "GET /health/ready")).body).toMatchObject({ status: "ready" });
    const again = await expectReply(current, "POST /v1/triage", { body: FAILURE }, { status: 200, schema: ANY });
    expect(JSON.stringify(again)).toContain(FIX);
    expect((await request(current, `GET /v1/incidents/${stored.incident_id}`)).body).toMatchObject({
      status: "resolved",
      resolution: FIX,
    });
  });

  it("both Workers share an idempotency key and a session", async () => {
    for (const worker of [current, former]) {
      const replayed = await expectReply(worker, "POST /v1/triage", keyed, { status: 200, schema: triageSchema });
      expect(replayed.triage_id).toBe(stored.triage_id);
      const turn = { body: { title: "and what does the exit code mean?", session_id: SESSION } };
      await expectReply(worker, "POST /v1/triage", turn, { status: 200, schema: triageSchema });
    }
    const schema = z.object({ incidents: z.array(ANY) });
    for (const worker of [current, former]) {
      const route = `GET /v1/incidents?session_id=${SESSION}`;
      const { incidents } = await expectReply(worker, route, {}, { status: 200, schema });
      expect(incidents).toHaveLength(3);
    }
  });

  it("each Worker consumes what the other one has queued", async () => {
    for (const [sender, consumer] of [
      [former, current],
      [current, former],
    ] as const) {
      const report = { body: { title: `export-${crypto.randomUUID()} container exited with code 137` } };
      const schema = z.object({ incident_id: z.string() });
      const { incident_id } = await expectReply(sender, "POST /v1/incidents", report, { status: 202, schema });
      expect(broker.waiting("dejavu-triages")).toContainEqual({ incident_id });
      await broker.deliver(consumer.url);
      expect((await request(sender, `GET /v1/incidents/${incident_id}`)).body).toMatchObject({ status: "triaged" });
    }
  });

  it("each Worker stores what the other one has answered while the database was unavailable", async () => {
    for (const [sender, consumer] of [
      [former, current],
      [current, former],
    ] as const) {
      await stack.service("postgrest").kill();
      const report = { body: { title: `import-${crypto.randomUUID()} container exited with code 137` } };
      const pending = await expectReply(sender, "POST /v1/triage", report, { status: 200, schema: triageSchema });
      expect(pending.persisted).toBe("pending");
      const fix = { body: { resolution: FIX } };
      await expectReply(sender, `POST /v1/incidents/${pending.incident_id}/resolve`, fix, { status: 202, schema: ANY });
      const alert = { body: alertWebhook(`Buffered-${crypto.randomUUID()}`, "firing") };
      await expectReply(sender, "POST /v1/alerts/alertmanager", alert, { status: 202, schema: ANY });
      expect(broker.waiting("dejavu-writes")).toHaveLength(3);
      await stack.service("postgrest").start();
      await broker.deliver(consumer.url);
      expect(broker.waiting("dejavu-writes")).toEqual([]);
      expect((await request(sender, `GET /v1/incidents/${pending.incident_id}`)).body).toMatchObject({
        status: "resolved",
      });
    }
  });

  it("a migration that breaks the former Worker is noticed", async () => {
    const sql = postgres(stack.info.urls.postgres, { max: 1, onnotice: () => {} });
    await sql.unsafe("alter function public.start_run(jsonb) rename to begin_run; notify pgrst, 'reload schema'");
    await sql.end();
    const triage = CHECKS["a triage with a key"];
    const hasFailed = async () =>
      triage?.(former, broker).then(
        () => false,
        () => true,
      );
    await expect.poll(hasFailed, { timeout: 120_000 }).toBe(true);
  });
});
