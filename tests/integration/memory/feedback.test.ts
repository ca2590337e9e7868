import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { createHarness, emptyStores, sql } from "../support/harness.ts";
import { type Planted, plantIncident, plantMemory, plantObservation, plantSummary } from "../support/sample-memory.ts";
import { bearer, makeToken } from "../support/tokens.ts";

const harness = createHarness();
const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";

beforeEach(() => emptyStores(harness.services));

async function plantAnswer(): Promise<Planted> {
  const planted = await plantIncident(harness.services);
  await plantMemory(harness.services, planted);
  return planted;
}

async function sendFeedback({ triageId }: { readonly triageId: string }, body: object): Promise<unknown> {
  const response = await harness.post(`/v1/triages/${triageId}/feedback`, body);
  expect(response.status).toBe(200);
  return response.json();
}

async function ratingOf(id: string): Promise<unknown> {
  const [row] = await sql`select net_rating from public.past_answers where id = ${id}`;
  return row?.net_rating;
}

describe("a rating", () => {
  it("counts once for each person, and the last one applies", async () => {
    const answer = await plantAnswer();
    const triage_id = answer.triageId;
    const dana = { by: "dana" };
    expect(await sendFeedback(answer, { rating: "up", ...dana })).toEqual({ triage_id, rating: "up", net_rating: 1 });
    expect(await sendFeedback(answer, { rating: "up", ...dana })).toMatchObject({ rating: "up", net_rating: 1 });
    expect(await sendFeedback(answer, { rating: "down", ...dana })).toMatchObject({ rating: "down", net_rating: -1 });
    expect(await sendFeedback(answer, { rating: "none", ...dana })).toMatchObject({ rating: "none", net_rating: 0 });
    expect(await sendFeedback(answer, { rating: "down", ...dana })).toMatchObject({ net_rating: -1 });
    expect(await sendFeedback(answer, { rating: "down", by: " li " })).toMatchObject({ net_rating: -2 });
    expect(await sendFeedback(answer, { rating: "down", by: "li" })).toMatchObject({ net_rating: -2 });
  });

  it("without a name counts once for each caller", async () => {
    const answer = await plantAnswer();
    await sendFeedback(answer, { rating: "up" });
    expect(await sendFeedback(answer, { rating: "up" })).toMatchObject({ net_rating: 1 });
  });

  it("of a person is changed by no other token, also not in their name", async () => {
    const answer = await plantAnswer();
    await sendFeedback(answer, { rating: "up", by: "dana" });
    const { id, token } = await makeToken(harness, ["feedback"]);
    await sendFeedback(answer, { rating: "up", by: `:${id}:dana` });
    const headers = { ...bearer(token), "content-type": "application/json" };
    for (const by of ["dana", "http:service:dana", ""]) {
      const body = JSON.stringify({ rating: "down", ...(by === "" ? {} : { by }) });
      await harness.request(`/v1/triages/${answer.triageId}/feedback`, { method: "POST", headers, body });
    }
    const stored = await sql`select rating from public.feedback order by rating`;
    expect(stored.map(({ rating }) => rating)).toEqual([-1, -1, -1, 1, 1]);
  });

  it("is not lost when twenty people rate at once, some of them twice", async () => {
    const answer = await plantAnswer();
    const ratings = Array.from({ length: 20 }, (_, i) => ({ rating: i % 4 === 0 ? "down" : "up", by: `person ${i}` }));
    await Promise.all([...ratings, ...ratings.slice(0, 5)].map((rating) => sendFeedback(answer, rating)));
    expect(await ratingOf(answer.triageId)).toBe(10);
    expect(await sql`select 1 from public.feedback`).toHaveLength(20);
  });

  it("also changes the rating of the summary of the past answer", async () => {
    const answers = [await plantAnswer(), await plantAnswer()];
    const [first, second] = answers;
    await sendFeedback({ triageId: first?.triageId ?? "" }, { rating: "up" });
    const originals = answers.map(({ triageId }) => triageId);
    const summary = await plantSummary(harness.services, { sessionId: "session-1", originals, text: "a summary" });
    expect(await ratingOf(summary)).toBe(1);
    await sendFeedback({ triageId: second?.triageId ?? "" }, { rating: "down" });
    await sendFeedback({ triageId: first?.triageId ?? "" }, { rating: "down" });
    expect(await ratingOf(summary)).toBe(-2);
    expect(await Promise.all(originals.map(ratingOf))).toEqual([-1, -1]);
  });

  it("is stored without effect when memory has no such answer", async () => {
    const answer = await plantIncident(harness.services);
    expect(await sendFeedback(answer, { rating: "up" })).toMatchObject({ rating: "up", net_rating: null });
    expect(await sql`select rating from public.feedback`).toEqual([{ rating: 1 }]);
  });
});

describe("a comment", () => {
  it("keeps the earlier rating", async () => {
    const answer = await plantAnswer();
    expect(await sendFeedback(answer, { comment: "too vague" })).toMatchObject({ rating: "none", net_rating: 0 });
    await sendFeedback(answer, { rating: "up" });
    expect(await sendFeedback(answer, { comment: "it helped after all" })).toMatchObject({
      rating: "up",
      net_rating: 1,
    });
    expect(await sql`select comment from public.feedback`).toEqual([{ comment: "it helped after all" }]);
  });

  it("stays when only the rating changes", async () => {
    const answer = await plantAnswer();
    await sendFeedback(answer, { rating: "up", comment: "right at once" });
    await sendFeedback(answer, { rating: "down" });
    expect(await sql`select rating, comment from public.feedback`).toEqual([{ rating: -1, comment: "right at once" }]);
  });

  it("is scrubbed, the name is stored as a digest, and neither is logged", async () => {
    const answer = await plantAnswer();
    await sendFeedback(answer, { comment: "mail planted@example.com", by: "planted@example.com" });
    expect(await sql`select person, comment from public.feedback`).toMatchObject([
      { person: expect.stringMatching(/^[0-9a-f]{64}$/), comment: "mail [REDACTED_EMAIL]" },
    ]);
    expect(JSON.stringify(harness.log)).not.toContain("planted");
  });
});

describe("feedback that is not valid", () => {
  it.each([
    ["neither rating nor comment", {}, "rating"],
    ["only a name", { by: "dana" }, "rating"],
    ["a rating that is not in the list", { rating: "great" }, "rating"],
    ["a blank comment", { comment: " " }, "comment"],
    ["a name that is too long", { rating: "up", by: "x".repeat(129) }, "by"],
    ["an unknown field", { rating: "up", stars: 5 }, "stars"],
  ])("is refused with the name of the field: %s", async (_, body, field) => {
    const { triageId } = await plantAnswer();
    const response = await harness.post(`/v1/triages/${triageId}/feedback`, body);
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ errors: [{ field }] });
    expect(await sql`select 1 from public.feedback`).toHaveLength(0);
  });

  it("on a triage that does not exist is refused", async () => {
    expect((await harness.post(`/v1/triages/${UNKNOWN_ID}/feedback`, { rating: "up" })).status).toBe(404);
    expect((await harness.post("/v1/triages/1/feedback", { rating: "up" })).status).toBe(422);
  });
});

describe("the review score of an observation", () => {
  const reviewedSchema = z.object({
    effective_review_score: z.number().nullable(),
    review_score: z.number().nullable(),
  });

  async function review(id: string, body: unknown): Promise<Response> {
    return harness.request(`/v1/memory/observations/${id}`, {
      method: "PATCH",
      body: JSON.stringify(body),
      headers: { "content-type": "application/json" },
    });
  }

  it.each([-1, 0, 0.5, 2])("can be %d", async (review_score) => {
    const planted = await plantIncident(harness.services);
    await plantObservation(harness.services, planted);
    const response = await review(planted.incidentId, { review_score });
    expect(reviewedSchema.parse(await response.json())).toEqual({ effective_review_score: review_score, review_score });
    const read = await harness.request(`/v1/memory/observations/${planted.incidentId}`);
    expect(await read.json()).toMatchObject({ review_score });
  });

  it("takes precedence over whether the answer worked, until it is removed", async () => {
    const planted = await plantIncident(harness.services);
    await plantObservation(harness.services, planted);
    await sql`update public.observations set worked = true`;
    expect(await (await review(planted.incidentId, { review_score: -1 })).json()).toMatchObject({
      effective_review_score: -1,
    });
    expect(await (await review(planted.incidentId, { review_score: null })).json()).toMatchObject({
      effective_review_score: 1,
      review_score: null,
    });
  });

  it.each([
    [{ review_score: 2.01 }, "review_score"],
    [{ review_score: -1.5 }, "review_score"],
    [{ review_score: "good" }, "review_score"],
    [{}, "review_score"],
    [{ review_score: 1, by: "dana" }, "by"],
  ])("refuses %j", async (body, field) => {
    const planted = await plantIncident(harness.services);
    await plantObservation(harness.services, planted);
    const response = await review(planted.incidentId, body);
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ errors: [{ field }] });
    expect(await sql`select review_score from public.observations`).toEqual([{ review_score: null }]);
  });

  it("is refused for an observation that does not exist", async () => {
    expect((await review(UNKNOWN_ID, { review_score: 1 })).status).toBe(404);
  });
});
