// The commands about incidents against the application.

import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { createHarness, emptyStores, sql } from "../support/harness.ts";
import { listen } from "../support/servers/listen.ts";
import { fakeService } from "./support/fake-service.ts";
import { createPerson } from "./support/person.ts";

const harness = createHarness();
const { services } = harness;
const server = await listen(services);
const { url } = server;
const variables = { DEJAVU_URL: url, DEJAVU_TOKEN: services.config.DEJAVU_TOKEN };

beforeEach(() => emptyStores(services));
afterAll(() => server[Symbol.asyncDispose]());

const OOM = "Docker container api-gateway exited with code 137";

describe("dejavu triage, resolve and similar", () => {
  it("record a fix of the last incident, and show it for the same failure", async () => {
    await using dana = await createPerson(variables);
    const triaged = await dana.dejavu(["triage", OOM, "--target", "api-gateway", "--label", "namespace=shop"]);
    expect(triaged).toMatchObject({ code: 0, problems: "" });
    expect(triaged.out).toContain("exited with code 137");
    const resolved = await dana.dejavu([
      ...["resolve", "last", "Raised the limit to 1 GiB", "--by", "dana"],
      ...["--did-not-help", "Restarted it", "--conditions", "gateway 4.2", "--answer-right"],
    ]);
    expect(resolved).toMatchObject({ code: 0, problems: "" });
    expect(resolved.out).toMatch(/^Resolved [0-9a-f-]{36} "Docker container api-gateway exited with code 137"\./);
    expect(resolved.out).toContain("fixed by: Raised the limit to 1 GiB");

    const shown = await dana.dejavu(["show", "last", "--json"]);
    expect(JSON.parse(shown.out)).toMatchObject({
      labels: { namespace: "shop" },
      resolution: "Raised the limit to 1 GiB",
      resolved_by: "dana",
      worked: true,
    });
    const similar = await dana.dejavu(["similar", OOM]);
    expect(similar.out).toMatch(/Raised\s+the\s+limit\s+to\s+1\s+GiB/);
    expect(similar.out).toContain("Did not help: Restarted it.");
    expect(similar.out).toMatch(/\n {2}fix {4}[0-9a-f-]{36}/);
    const other = await dana.dejavu(["similar", "the weather is fine in Lisbon"]);
    expect(other.out).toContain("No past incident is alike.");
    expect(other.out).not.toContain("Raised");
  });

  it("record an action that did not help without a fix, and keep the incident open", async () => {
    await using dana = await createPerson(variables);
    await dana.dejavu(["triage", OOM]);
    const tried = await dana.dejavu(["resolve", "last", "--did-not-help", "Restarted it"]);
    expect(tried).toMatchObject({ code: 0, out: expect.stringContaining("which stays open") });
    const shown = JSON.parse((await dana.dejavu(["show", "last", "--json"])).out);
    expect(shown).toMatchObject({ status: "triaged", resolution: null });
  });

  it("apply a recorded fix again by its id", async () => {
    await using dana = await createPerson(variables);
    await dana.dejavu(["triage", OOM, "--target", "api-gateway"]);
    await dana.dejavu(["resolve", "last", "Raised the limit"]);
    const fix = /fix {4}([0-9a-f-]{36})/.exec((await dana.dejavu(["similar", OOM])).out)?.[1] ?? "";
    await dana.dejavu(["triage", OOM, "--target", "cart"]);
    const resolved = await dana.dejavu(["resolve", "last", "--fix", fix]);
    expect(resolved).toMatchObject({ code: 0, out: expect.stringContaining("Raised the limit") });
  });

  it("read standard input and files", async () => {
    await using dana = await createPerson(variables);
    const piped = await dana.dejavu(["triage", "--json"], { input: `${OOM}\nMemory cgroup out of memory\n` });
    expect(JSON.parse(piped.out)).toMatchObject({ title: expect.stringContaining("out of memory") });
    const nothing = await dana.dejavu(["triage"]);
    expect(nothing).toMatchObject({ code: 2, out: "", problems: expect.stringMatching(/nothing to (triage|read)/) });
  });
});

describe("dejavu ack, comment and edit", () => {
  it("are in the name of the person who signed in with one, and shown", async () => {
    await using dana = await createPerson(variables);
    await dana.dejavu(["triage", OOM]);
    expect(await dana.dejavu(["ack", "last"])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Acknowledged by operator: /),
    });
    await dana.dejavu(["login", "--name", "dana"]);
    expect((await dana.dejavu(["ack", "last", "--owner", "kim"])).out).toMatch(/^Acknowledged by dana, owner: kim: /);
    expect(await dana.dejavu(["comment", "last", "Seen", "before"])).toMatchObject({ code: 0, problems: "" });
    await dana.dejavu(["edit", "last", "--title", "The gateway leaks", "--severity", "critical", "--by", "eli"]);
    expect((await dana.dejavu(["list"])).out).toMatch(/critical +kim .*The gateway leaks/);
    const { url } = z.object({ url: z.string() }).parse(JSON.parse((await dana.dejavu(["console", "--json"])).out));
    expect(await sql`select person_name from public.sign_in_codes`).toEqual([{ person_name: "dana" }]);
    expect(url).toContain("/console#code=");
    const { out } = await dana.dejavu(["show", "last"]);
    expect(out).toContain(`Reported as: ${OOM}`);
    expect(out).toMatch(/dana took it over|dana acknowledged it/);
    expect(out).toMatch(/dana commented: Seen before\n.*eli edited the title/s);
    expect((await dana.dejavu(["ack", "last", "--undo"])).out).toContain("is not acknowledged");
    expect(await dana.dejavu(["edit", "last"])).toMatchObject({
      code: 2,
      problems: expect.stringContaining("--no-owner"),
    });
    await dana.dejavu(["resolve", "last", "Raised the limit"]);
    expect(await dana.dejavu(["ack", "last"])).toMatchObject({
      code: 1,
      problems: expect.stringContaining("resolved"),
    });
  });
});

describe("dejavu merge and split", () => {
  it("merge an incident into another one, and split off only alerts", async () => {
    await using dana = await createPerson(variables);
    const idOf = async (target: string) => {
      const { out } = await dana.dejavu(["triage", OOM, "--target", target, "--json"]);
      return z.object({ incident_id: z.string() }).parse(JSON.parse(out)).incident_id;
    };
    const [into, id] = [await idOf("api-gateway"), await idOf("cart")];
    const merged = await dana.dejavu(["merge", id, into]);
    expect(merged).toMatchObject({ code: 0, out: expect.stringMatching(/^Merged into /) });
    expect((await dana.dejavu(["show", id])).out).toMatch(/merged it into another incident/);
    expect(await dana.dejavu(["merge", into, id])).toMatchObject({
      code: 1,
      problems: expect.stringContaining("merged"),
    });
    expect(await dana.dejavu(["split", into])).toMatchObject({
      code: 2,
      problems: expect.stringContaining("--target"),
    });
    const none = await dana.dejavu(["split", into, "--target", "cart"]);
    expect(none).toMatchObject({ code: 2, problems: expect.stringContaining("alerts") });
  });
});

it("dejavu triage --json prints the answers before an alert that fails", async () => {
  await using dana = await createPerson(variables);
  const alerts = ["OrdersDown", "PaymentsDown"].map((alertname) => ({ labels: { alertname }, state: "firing" }));
  const answered = JSON.parse((await dana.dejavu(["triage", OOM, "--json"])).out);
  let calls = 0;
  await using service = await fakeService((_, response) => {
    const event =
      ++calls === 1 ? { name: "done", data: answered } : { name: "error", data: { title: "Failed", status: 503 } };
    response.setHeader("content-type", "text/event-stream");
    response.end(`event: ${event.name}\ndata: ${JSON.stringify(event.data)}\n\n`);
  });
  const env = { DEJAVU_URL: service.url, DEJAVU_TOKEN: "a-token" };
  const { code, out, problems } = await dana.dejavu(["triage", "--json"], { input: JSON.stringify(alerts), env });
  expect(code).toBe(1);
  expect(JSON.parse(out)).toEqual([answered]);
  expect(problems).toContain("1 of 2 alerts were triaged.");
});

describe("dejavu ask", () => {
  it("continues the last session, and leaves the last incident as it is", async () => {
    await using dana = await createPerson(variables);
    const nothing = await dana.dejavu(["ask", "--continue", "What did we find?"]);
    expect(nothing).toMatchObject({ code: 3, problems: expect.stringContaining("no session to continue") });
    const first = JSON.parse((await dana.dejavu(["triage", OOM, "--json"])).out);
    const recap = JSON.parse((await dana.dejavu(["ask", "--continue", "What did we find?", "--json"])).out);
    expect(recap.session_id).toBe(first.session_id);
    const last = JSON.parse((await dana.dejavu(["show", "last", "--json"])).out);
    expect(last.id).toBe(first.incident_id);
    const own = JSON.parse((await dana.dejavu(["ask", "--session", "on-call", "Why 137?", "--json"])).out);
    expect(own.session_id).toBe("on-call");
  });
});

describe("dejavu list and show", () => {
  it("list with filters and pages, and show by the beginning of an id", async () => {
    await using dana = await createPerson(variables);
    expect((await dana.dejavu(["list"])).out).toContain("There are no such incidents yet.");
    const { incident_id: id } = await harness.triage({ title: OOM, target: "api-gateway", severity: "high" });
    harness.clock.advance(1_000);
    await harness.triage({ title: "disk full on db-1", severity: "low" });
    const list = await dana.dejavu(["list", "--severity", "high"]);
    expect(list.out).toContain(id.slice(0, 8));
    expect(list.out).not.toContain("disk full");
    const page = await dana.dejavu(["list", "--limit", "1"]);
    expect(page.out).toMatch(/(?:Unknown|Possible, \d+ %|Known failure, \d+ %) .*disk full[\s\S]*--cursor (\S+)/);
    const cursor = /--cursor (\S+)/.exec(page.out)?.[1] ?? "";
    expect((await dana.dejavu(["list", "--limit", "1", "--cursor", cursor])).out).toContain(id.slice(0, 8));
    for (const prefix of [id.slice(0, 4), id.slice(0, 13).toUpperCase(), id]) {
      const shown = await dana.dejavu(["show", prefix]);
      expect(shown).toMatchObject({ code: 0, problems: "" });
      expect(shown.out).toContain(id);
      expect(shown.out).toContain("Timeline (UTC)");
    }
  });

  it("take the newest incident for the last one of a person who triaged nothing, and name it", async () => {
    await using dana = await createPerson(variables);
    await harness.triage({ title: OOM });
    harness.clock.advance(1_000);
    const { incident_id: newest } = await harness.triage({ title: "disk full on db-1" });
    const acknowledged = await dana.dejavu(["ack", "last", "--by", "dana"]);
    expect(acknowledged.out).toContain("disk full on db-1");
    expect(acknowledged.problems).toMatch(
      new RegExp(`^The last incident is ${newest.slice(0, 8)} .*disk full on db-1`),
    );
    // What a person triaged is their last one, also when others are reported.
    await dana.dejavu(["triage", OOM]);
    await harness.triage({ title: "the queue is full" });
    expect((await dana.dejavu(["comment", "last", "Mine.", "--by", "dana"])).problems).not.toContain(
      "the queue is full",
    );
  });

  it("name the candidates of an ambiguous beginning", async () => {
    await using dana = await createPerson(variables);
    const { incident_id: id } = await harness.triage({ title: OOM });
    const twin = `${id.slice(0, 8)}-ffff-4fff-8fff-ffffffffffff`;
    await sql`insert into public.incidents select (jsonb_populate_record(i, ${sql.json({ id: twin, title: "the twin" })})).*
      from public.incidents i where id = ${id}`;
    const shown = await dana.dejavu(["show", id.slice(0, 8)]);
    expect(shown.code).toBe(2);
    for (const text of [id, twin, "the twin", "Use more characters"]) expect(shown.problems).toContain(text);
  });

  it.each([
    ["is not on record", "feed0000", 3, "No incident has an id that begins with feed0000"],
    ["is too short", "3f2", 2, "its first 4 or more characters, or last"],
    ["is no id", "api-gateway", 2, '"api-gateway" is no id'],
    ["is the last one before the first triage", "last", 3, "There is no last incident"],
  ])("refuse an id that %s", async (_, id, code, message) => {
    await using dana = await createPerson(variables);
    expect(await dana.dejavu(["show", id])).toMatchObject({
      code,
      out: "",
      problems: expect.stringContaining(message),
    });
  });
});

describe("GET /v1/incidents", () => {
  it.each(["3f2", "3f2g", "", "3f2a8c1e-5b7d-4e9f-8a6c-2d1b0e9f8c7a0"])("refuses the id_prefix %j", async (prefix) => {
    const response = await harness.request(`/v1/incidents?id_prefix=${prefix}`);
    expect(response.status).toBe(422);
    expect(await response.text()).toContain("must be the beginning of an id");
  });
});

describe("dejavu feedback", () => {
  it("rates the answer of an incident, and removes the rating", async () => {
    await using dana = await createPerson(variables);
    await dana.dejavu(["triage", OOM]);
    const rated = await dana.dejavu(["feedback", "last", "up", "The second step was it.", "--by", "dana"]);
    expect(rated.out).toMatch(/^Rated up: the answer to [0-9a-f-]{36} ".*137"\. All ratings: \+1\.\n$/);
    const removed = await dana.dejavu(["feedback", "last", "none", "--by", "dana"]);
    expect(removed.out).toContain("Removed the rating");
    expect((await dana.dejavu(["feedback", "last", "great"])).code).toBe(2);
  });

  it("says what is wrong, and what is right instead", async () => {
    await using dana = await createPerson(variables);
    await dana.dejavu(["triage", OOM]);
    const wrong = [
      "--wrong",
      "severity=critical",
      "--wrong",
      "step",
      "--wrong",
      "cause=a limit of 64 MiB, set by env X=1",
    ];
    expect((await dana.dejavu(["feedback", "last", "down", ...wrong])).code).toBe(0);
    const list = await (await harness.request("/v1/feedback")).text();
    expect(list).toContain(
      '[{"part":"severity","right":"critical"},{"part":"step"},{"part":"cause","right":"a limit of 64 MiB, set by env X=1"}]',
    );
    const unknown = await dana.dejavu(["feedback", "last", "down", "--wrong", "title=x"]);
    expect(unknown.code).toBe(2);
    expect(unknown.problems).toContain("cause, step, runbook, domain, severity");
  });
});

describe("every answer", () => {
  it("is at most 60 columns wide on such a terminal, apart from commands, and has no colours in a pipe", async () => {
    await using dana = await createPerson({ ...variables, COLUMNS: "60", FORCE_COLOR: "1" });
    await dana.dejavu(["triage", OOM, "--target", "api-gateway"]);
    await dana.dejavu(["resolve", "last", "Raised the memory limit of the container to 1 GiB and fixed the leak"]);
    for (const words of [
      ["list"],
      ["show", "last"],
      ["similar", OOM],
      ["search", "exit code 137"],
      ["memory"],
      ["jobs"],
    ]) {
      const { out, code } = await dana.dejavu(words);
      expect({ words, code }).toEqual({ words, code: 0 });
      expect(out).not.toContain("\u001b");
      const wide = out
        .split("\n")
        .filter((line) => line.length > 60 && !/^ *(\$|dejavu|record|fix|incident|add logs|console) /.test(line));
      expect({ words, wide }).toEqual({ words, wide: [] });
    }
  });
});
