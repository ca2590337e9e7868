// The view Domains: the list, the box that routes a text, one domain and its editor.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sendJson } from "../support/api.ts";
import { builtAssets } from "../support/built-assets.ts";
import { createHarness, emptyStores } from "../support/harness.ts";
import { checkAccessibility, checkWidth, serveConsole } from "./support/open-console.ts";

const harness = createHarness({ ASSETS: builtAssets });
const server = await serveConsole(harness);
afterAll(() => server[Symbol.asyncDispose]());

const PAYMENTS = {
  description: "The payment services.",
  labels: [{ match: { team: ["payments", "billing"], env: ["prod"] }, weight: 3 }],
  hints: [{ words: ["card processor"], pattern: "\\bPAY-[0-9]{4}\\b", weight: 2 }],
  excluded_words: ["stripe"],
  only_when_decided: false,
  target_labels: ["service"],
  incident_types: [{ name: "processor_declines", hints: [{ words: ["declined by processor"], weight: 3 }] }],
  first_looks: [{ text: "See the deployments.", command: "kubectl -n payments rollout history deployment" }],
};
const definitionOf = async (name: string) => {
  const response = await harness.request(`/v1/domains/${name}`);
  return ((await response.json()) as { definition: unknown }).definition;
};

beforeAll(async () => {
  await emptyStores(harness.services);
  await sendJson(harness, "PUT", "/v1/domains/payments", PAYMENTS);
});

describe("the domains", () => {
  it("are listed with their counts", async () => {
    const { page, messages } = await server.open("/domains");
    const entry = page.getByRole("listitem").filter({ hasText: "The payment services." });
    await entry.getByText("1 label rule").waitFor();
    await entry.getByRole("link", { name: "0 runbooks" }).waitFor();
    expect(messages).toEqual([]);
  });

  it("show where a text would go, and the rule that decides", async () => {
    const { page } = await server.open("/domains", { scopes: ["read"] });
    await page.getByLabel("Text of an alert").fill("the card processor is slow");
    await page.getByRole("button", { name: "Show the domain" }).click();
    await page.getByText('words "card processor"').waitFor();
    expect(await page.getByRole("link", { name: "New domain" }).count()).toBe(0);
    await checkAccessibility(page);
    await page.getByLabel("Labels").fill("team=billing, env=prod");
    await page.getByRole("button", { name: "Show the domain" }).click();
    await page.getByText(/^labels? .*team=billing/).waitFor();
  });

  it("say what is wrong if they cannot be loaded; the box still works", async () => {
    const { page } = await server.open("/domains", {
      prepare: async (opened) => {
        await opened.route("**/v1/domains?*", (route) => route.fulfill({ status: 502, body: "no" }));
      },
    });
    await page.getByText("Cannot show the domains").waitFor();
    await page.getByLabel("Text of an alert").fill("the card processor is slow");
    await page.getByRole("button", { name: "Show the domain" }).click();
    await page.getByText('words "card processor"').waitFor();
  });
});

describe("a domain", () => {
  it("is edited in rows, and loses nothing that was not changed", async () => {
    const { page } = await server.open("/domains/payments");
    await page.getByText("env=prod; team=payments, billing").waitFor();
    await page.getByRole("link", { name: "Edit" }).click();
    await page.getByRole("button", { name: "Add a group of words" }).first().click();
    await page
      .getByRole("group", { name: "group of words 2" })
      .getByRole("textbox", { name: "Words" })
      .fill("chargeback, refund");
    await page.getByRole("button", { name: "Store" }).click();
    await page.getByText("chargeback").waitFor();
    expect(await definitionOf("payments")).toEqual({
      ...PAYMENTS,
      hints: [...PAYMENTS.hints, { words: ["chargeback", "refund"], weight: 3 }],
    });
  });

  it("shows why a definition is refused, and keeps what was typed", async () => {
    const { page } = await server.open("/domains?part=new");
    await page.getByLabel("Name", { exact: true }).first().fill("checkout");
    await page.getByRole("button", { name: "Add a label rule" }).click();
    await page.getByRole("textbox", { name: "Labels", exact: true }).fill("team=payments; env=prod");
    await page.getByRole("button", { name: "Store" }).click();
    await page.getByText("Another domain claims").first().waitFor();
    expect(await page.getByRole("textbox", { name: "Labels", exact: true }).inputValue()).toBe(
      "team=payments; env=prod",
    );
    await page.getByRole("textbox", { name: "Labels", exact: true }).fill("team=checkout");
    await page.getByRole("button", { name: "Store" }).click();
    await page.getByRole("heading", { level: 1, name: "checkout" }).waitFor();
    expect(await definitionOf("checkout")).toMatchObject({ labels: [{ match: { team: ["checkout"] }, weight: 3 }] });
  });

  it("is not edited in rows if a word holds a comma, which would be lost", async () => {
    await sendJson(harness, "PUT", "/v1/domains/commas", { hints: [{ words: ["killed, out of memory"] }] });
    const { page } = await server.open("/domains/commas?part=edit");
    await page.getByText("This definition cannot be edited here.").waitFor();
  });
});

describe.each([
  { width: 390, scheme: "light" },
  { width: 390, scheme: "dark" },
  { width: 1440, scheme: "light" },
  { width: 1440, scheme: "dark" },
] as const)("at $width px, $scheme", (options) => {
  it.each(["/domains", "/domains/payments", "/domains/payments?part=edit"])(
    "%s is accessible and no wider than the window",
    async (path) => {
      const { page } = await server.open(path, options);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await expect.poll(() => page.locator("[aria-busy=true]").count()).toBe(0);
      await checkWidth(page);
      await checkAccessibility(page);
    },
  );
});
