// The view Domains: the list, the box that routes a text, and definitions that are refused.

import { beforeAll, describe, expect, it } from "vitest";
import { checkAccessibility, checkLooks } from "../../integration/console/support/check-page.ts";
import { serveConsole } from "../../integration/console/support/open-console.ts";
import { PAYMENTS } from "../../integration/console/support/reports.ts";
import { waitUntilLoaded } from "../../integration/console/support/view-pages.ts";
import { sendJson } from "../../integration/support/api.ts";
import { builtAssets } from "../../integration/support/built-assets.ts";
import { createHarness, emptyStores } from "../../integration/support/harness.ts";

const harness = createHarness({ ASSETS: builtAssets });
const server = await serveConsole(harness);

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
    const { page } = await server.open("/domains");
    await page.getByLabel("Text of an alert").fill("the card processor is slow");
    await page.getByRole("button", { name: "Show the domain" }).click();
    await page.getByText('words "card processor"').waitFor();
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
  it("shows why a definition is refused, and keeps what was typed", async () => {
    const { page } = await server.open("/domains?part=new");
    await page.getByLabel("Name", { exact: true }).first().fill("checkout");
    await page.getByRole("button", { name: "Add a label rule" }).click();
    await page.getByRole("textbox", { name: "Labels", exact: true }).fill("team=payments; env=prod");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Another domain claims").first().waitFor();
    expect(await page.getByRole("textbox", { name: "Labels", exact: true }).inputValue()).toBe(
      "team=payments; env=prod",
    );
    await page.getByRole("textbox", { name: "Labels", exact: true }).fill("team=checkout");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { level: 1, name: "checkout" }).waitFor();
    expect(await definitionOf("checkout")).toMatchObject({ labels: [{ match: { team: ["checkout"] }, weight: 3 }] });
  });

  it("asks before unsaved rows are left by a link, by keys, by the palette or by the back button", async () => {
    const { page } = await server.open("/domains/payments");
    await page.getByRole("link", { name: "Edit" }).click();
    const words = page.getByLabel("Description");
    await words.fill("Cards and invoices.");
    const question = page.getByRole("dialog", { name: "Leave with unsaved changes?" });
    const ways: readonly (() => Promise<unknown>)[] = [
      () => page.getByRole("link", { name: "Memory" }).click(),
      async () => {
        await page.evaluate("document.activeElement.blur()");
        await page.keyboard.press("g");
        await page.keyboard.press("m");
      },
      async () => {
        await page.keyboard.press("Control+k");
        await page.getByPlaceholder("A view, or words of an incident").fill("memo");
        await page.keyboard.press("Enter");
      },
      () => page.evaluate("history.back()"),
    ];
    for (const leave of ways) {
      await leave();
      await question.getByRole("button", { name: "Stay" }).click();
      expect(await page.getByRole("dialog").count()).toBe(0);
      expect(await words.inputValue()).toBe("Cards and invoices.");
    }
    await ways[2]?.();
    await question.getByRole("button", { name: "Discard them" }).click();
    await page.getByRole("heading", { level: 1, name: "Memory" }).waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
    await page.goBack();
    expect(await page.getByLabel("Description").inputValue()).toBe("The payment services.");
  });

  it("is not edited in rows if a word holds a comma, which would be lost", async () => {
    await sendJson(harness, "PUT", "/v1/domains/commas", { hints: [{ words: ["killed, out of memory"] }] });
    const { page } = await server.open("/domains/commas?part=edit");
    await page.getByText("This definition cannot be edited here.").waitFor();
  });
});

it.each(["/domains", "/domains/payments", "/domains/payments?part=edit"])(
  "%s is accessible and no wider than the window in each look",
  async (path) => {
    const { page } = await server.open(path);
    await waitUntilLoaded(page);
    await checkLooks(page);
  },
);
