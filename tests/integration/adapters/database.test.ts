// The adapter of the database against a PostgREST that refuses calls: which it repeats, and when it gives up.

import { expect, it } from "vitest";
import { createDatabase } from "../../../functions/adapters/database.ts";
import { createTestTimers } from "../../support/test-timers.ts";
import { lyingServer } from "../support/servers/lying-server.ts";

/** PostgREST's answers to a call that wrote nothing because of others. */
const REFUSALS = [
  { status: 504, code: "PGRST003", message: "Timed out acquiring connection from connection pool." },
  { status: 500, code: "40001", message: "could not serialize access due to concurrent update" },
  { status: 500, code: "40P01", message: "deadlock detected" },
];

const call = (url: string) =>
  createDatabase({ url, serviceRoleKey: "s3cret", timeoutMs: 5_000, startTimer: createTestTimers().startTimer }).call(
    "get_incident",
    { p_id: "0f2b7c1e-5b2e-4b66-9a51-000000000001" },
  );

const refuse = ({ status, ...error }: (typeof REFUSALS)[number]) => ({
  status,
  body: JSON.stringify({ ...error, details: null, hint: null }),
});

it.each(REFUSALS)("repeats a call that wrote nothing: $message", async (refusal) => {
  await using server = await lyingServer({
    answer: (_, attempt) => (attempt <= 5 ? refuse(refusal) : { body: '{"stored":1}' }),
  });
  await expect(call(server.url)).resolves.toEqual({ stored: 1 });
});

it.each(REFUSALS)("gives up on a server that always refuses at once: $message", async (refusal) => {
  await using server = await lyingServer({ answer: () => refuse(refusal) });
  await expect(call(server.url)).rejects.toMatchObject({ dependency: "database" });
  expect(server.requests.length).toBeLessThan(20);
});

it("does not repeat a call that may have written", async () => {
  await using server = await lyingServer({
    answer: () =>
      refuse({ status: 502, code: "", message: "An invalid response was received from the upstream server" }),
  });
  await expect(call(server.url)).rejects.toMatchObject({ failure: "unreachable" });
  expect(server.requests).toHaveLength(1);
});
