import { expect, it } from "vitest";
import { cdevents } from "../../../../functions/changes/senders/cdevents.ts";

const event = (type: string, subject: object) => ({
  context: { id: "1", type: `dev.cdevents.${type}.0.2.0` },
  subject,
});
const changesOf = (body: unknown) => cdevents.toChanges(cdevents.schema.parse(body)).changes;

it("a package of a scope has its own name and version", () => {
  const artifact = "pkg:npm/@acme/checkout@1.2.0?vcs_url=git%40example.com";
  expect(changesOf(event("artifact.published", { id: artifact }))).toMatchObject([
    { service: "checkout", version: "1.2.0", title: "checkout published: 1.2.0" },
  ]);
  expect(changesOf(event("artifact.published", { id: "pkg:npm/@acme/checkout" }))).toMatchObject([
    { service: "checkout", version: null },
  ]);
});

it("a changed environment is the environment of the change", () => {
  expect(changesOf(event("environment.modified", { id: "production" }))).toMatchObject([
    { service: "production", environment: "production" },
  ]);
});

it("a bare event is read as one, whatever other fields it has", () => {
  const bare = { ...event("service.deployed", { id: "orders" }), specversion: "1.0", data: 1 };
  expect(changesOf(bare)).toMatchObject([{ service: "orders" }]);
  const enveloped = { ...bare, data: event("service.removed", { id: "carts" }) };
  expect(changesOf(enveloped)).toMatchObject([{ service: "carts" }]);
});
