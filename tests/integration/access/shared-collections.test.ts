// Callers restricted to different domains use one isolate's knowledge of the collections.

import { beforeAll, expect, it } from "vitest";
import { createHarness, emptyStores, workerEnv } from "../support/harness.ts";
import { lyingServer } from "../support/servers/lying-server.ts";

const { services } = createHarness();

beforeAll(() => emptyStores(services));

it("lists the collections once for all domains that callers are restricted to", async () => {
  const [vector] = await services.embedder.embed(["the volume is full"]);
  await services.vectors.store("runbooks", [
    { id: "one", vector: vector ?? [], text: "the volume is full", metadata: { domain: "shop" } },
  ]);
  await using chroma = await lyingServer({ forwardTo: workerEnv.CHROMA_URL ?? "" });
  const harness = createHarness({ CHROMA_URL: chroma.url });
  expect(await harness.services.restrictedTo(["shop"]).vectors.initialize("runbooks")).toBe(true);
  const requests = chroma.requests.length;
  expect(await harness.services.restrictedTo(["payments"]).vectors.initialize("runbooks")).toBe(true);
  expect(chroma.requests).toHaveLength(requests);
});
