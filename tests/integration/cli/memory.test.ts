// The commands about memory against the application.

import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { createHarness, emptyStores } from "../support/harness.ts";
import { listen } from "../support/servers/listen.ts";
import { createPerson } from "./support/person.ts";

const harness = createHarness();
const { services } = harness;
const server = await listen(services);
const variables = { DEJAVU_URL: server.url, DEJAVU_TOKEN: services.config.DEJAVU_TOKEN };

beforeEach(() => emptyStores(services));
afterAll(() => server[Symbol.asyncDispose]());

const OOM = "Docker container api-gateway exited with code 137";

async function resolved(title: string, fix: string): Promise<string> {
  const { incident_id } = await harness.triage({ title, target: "api-gateway", session_id: "on-call" });
  const response = await harness.post(`/v1/incidents/${incident_id}/resolve`, { resolution: fix });
  expect(response.status).toBe(200);
  harness.clock.advance(1_000);
  return incident_id;
}

describe("dejavu memory", () => {
  it("lists every layer, and searches", async () => {
    await using dana = await createPerson(variables);
    await resolved(OOM, "Raised the limit");
    const list = await dana.dejavu(["memory"]);
    expect(list).toMatchObject({ code: 0, out: expect.stringContaining("Raised the limit") });
    expect(await dana.dejavu(["memory", "list", "--domain", "nowhere"])).toMatchObject({ code: 0 });
    for (const layer of ["past-answers", "sessions", "procedures", "outbox"]) {
      expect({ layer, ...(await dana.dejavu(["memory", layer])) }).toMatchObject({ layer, code: 0, problems: "" });
      const json = await dana.dejavu(["memory", layer, "--json"]);
      expect(Object.keys(JSON.parse(json.out))).toContain("next_cursor");
    }
    expect((await dana.dejavu(["memory", "sessions"])).out).toContain("on-call");
    const search = await dana.dejavu(["memory", "search", "gateway killed,", "exit code 137"]);
    expect(search.out).toContain("probability ×");
  });

  it("shows, reviews and deletes a record by the beginning of its id", async () => {
    await using dana = await createPerson(variables);
    const id = await resolved(OOM, "Raised the limit");
    const shown = await dana.dejavu(["memory", "show", id.slice(0, 6)]);
    expect(shown).toMatchObject({ code: 0, out: expect.stringContaining("Why it is as it is") });
    const reviewed = await dana.dejavu(["memory", "review", id.slice(0, 6), "--", "-1"]);
    expect(reviewed.out).toBe(`Reviewed ${id} "${OOM}" with -1.\n`);
    expect((await dana.dejavu(["memory", "review", id, "none"])).out).toContain("Removed the review");
    expect(await dana.dejavu(["memory", "review", id, "5"])).toMatchObject({ code: 2, out: "" });
    const unconfirmed = await dana.dejavu(["memory", "rm", "observation", id.slice(0, 6)]);
    expect(unconfirmed).toMatchObject({ code: 2, problems: expect.stringContaining(OOM) });
    const removed = await dana.dejavu(["memory", "rm", "observation", id.slice(0, 6), "--yes"]);
    expect(removed.out).toBe(`Deleted the observation ${id} "${OOM}".\n`);
    expect(await dana.dejavu(["memory", "show", id])).toMatchObject({ code: 3, out: "" });
    expect(await dana.dejavu(["memory", "rm", "session", "on-call", "--yes"])).toMatchObject({ code: 0 });
    expect(await dana.dejavu(["memory", "rm", "incident", id.slice(0, 6), "--yes"])).toMatchObject({ code: 0 });
    expect((await dana.dejavu(["list"])).out).toContain("There are no such incidents yet.");
  });

  it("rates the answer of an incident, or an answer by its own id", async () => {
    await using dana = await createPerson(variables);
    const { incident_id, triage_id } = await harness.triage({ title: OOM, target: "api-gateway" });
    const rated = await dana.dejavu(["feedback", incident_id.slice(0, 6), "up", "It", "helped.", "--by", "dana"]);
    expect(rated).toMatchObject({
      code: 0,
      out: `Rated up: the answer to ${incident_id} "${OOM}". All ratings: +1.\n`,
    });
    const again = await dana.dejavu(["feedback", triage_id, "down", "--by", "robin"]);
    expect(again).toMatchObject({ code: 0, out: `Rated down: the answer ${triage_id}. All ratings: 0.\n` });
    const unknown = "00000000-0000-4000-8000-000000000000";
    expect(await dana.dejavu(["feedback", unknown, "up"])).toMatchObject({ code: 3, out: "" });
    expect((await dana.dejavu(["feedback", incident_id, "great"])).code).toBe(2);
  });

  it("splits a record and joins it again", async () => {
    await using dana = await createPerson(variables);
    const id = await resolved(OOM, "Raised the limit");
    const second = await resolved(OOM, "Fixed the leak");
    const split = await dana.dejavu(["memory", "split", id, second, "--reason", "Another cause."]);
    expect(split).toMatchObject({ code: 0, out: expect.stringContaining(`The new record is ${second}`) });
    const joined = await dana.dejavu(["memory", "join", id, second]);
    expect(joined.out).toBe(`Joined ${second} to ${id} "${OOM}".\n`);
  });
});
