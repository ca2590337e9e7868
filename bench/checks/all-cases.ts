// All cases with sources. The parts share no runbook.

import { GATEWAY_CASES, ROUTER_CASES } from "./cases/cluster.ts";
import { DATABASE_CASES, EDGE_CASES } from "./cases/edge-and-database.ts";
import { JOB_QUEUE_CASES, OBJECT_STORE_CASES } from "./cases/job-queue-and-object-store.ts";
import { BATCH_CASES, MAIL_CASES } from "./cases/mail-and-batch.ts";
import { BUILD_CASES, SECRET_CASES } from "./cases/secrets-and-builds.ts";
import { SHIPPED_CASES } from "./cases/shipped-runbooks.ts";
import { FILE_SYSTEM_CASES, STREAM_CASES } from "./cases/streams-and-files.ts";
import type { CheckCase } from "./check-case.ts";

export const CHECK_CASES: readonly CheckCase[] = [
  ...JOB_QUEUE_CASES,
  ...OBJECT_STORE_CASES,
  ...EDGE_CASES,
  ...DATABASE_CASES,
  ...ROUTER_CASES,
  ...STREAM_CASES,
  ...FILE_SYSTEM_CASES,
  ...MAIL_CASES,
  ...BATCH_CASES,
  ...GATEWAY_CASES,
  ...SHIPPED_CASES,
  ...SECRET_CASES,
  ...BUILD_CASES,
];
