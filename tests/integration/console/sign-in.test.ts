// Signing in to the console in a browser, signing out, and a session that ends while somebody types.

import { beforeEach, describe, expect, it } from "vitest";
import { builtAssets } from "../support/built-assets.ts";
import { createHarness, sql } from "../support/harness.ts";
import { createCode } from "../support/session-browser.ts";
import { bearer, makeToken } from "../support/tokens.ts";
import { checkAccessibility, checkWidth } from "./support/check-page.ts";
import { NARROW_DARK, type OpenOptions, serveConsole } from "./support/open-console.ts";

const harness = createHarness({ ASSETS: builtAssets });
const server = await serveConsole(harness);
beforeEach(() => sql`delete from public.console_sessions`);

const open = (path = "", options: OpenOptions = {}) => server.open(path, { ...options, isSignedIn: false });

describe("the sign-in view", () => {
  it("takes a token, and shows the address that the person wanted", async () => {
    const { token } = await makeToken(harness, ["read"], { name: "night-shift" });
    const { page, context, messages } = await open("/memory");
    await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    await page.getByLabel("Token or one-time link").fill(` ${token} `);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Memory" }).waitFor();
    expect(await page.getByText("night-shift").count()).toBe(1);
    const [cookie] = await context.cookies();
    expect(cookie).toMatchObject({ name: "dejavu_session", httpOnly: true, sameSite: "Strict", path: "/" });
    expect(await page.evaluate("document.cookie")).toBe("");
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Memory" }).waitFor();
    expect(messages).toEqual([]);
  });

  it("says why a token is refused, and keeps it for correction", async () => {
    const { page } = await open("", NARROW_DARK);
    const field = page.getByLabel("Token or one-time link");
    await field.fill(`djv_${"A".repeat(43)}`);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("This token is unknown. Check that it is complete").waitFor();
    expect(await field.inputValue()).toHaveLength(47);
    await checkWidth(page);
    await checkAccessibility(page);
  });

  it("takes a link that is pasted", async () => {
    const { code } = await createCode(harness);
    const { page } = await open();
    await page.getByLabel("Token or one-time link").fill(`${server.url}/console#code=${code}`);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Incidents" }).waitFor();
  });
});

describe("a one-time link", () => {
  it("signs in, and leaves the address and the history", async () => {
    const { code } = await createCode(harness);
    const { page } = await open(`#code=${code}`);
    await page.getByRole("heading", { level: 1, name: "Incidents" }).waitFor();
    expect(page.url()).toBe(`${server.url}/console`);
    // In the browser that used it, the link still leads to the console.
    await page.goto("about:blank");
    await page.goto(`${server.url}/console#code=${code}`);
    await page.getByRole("heading", { level: 1, name: "Incidents" }).waitFor();
    expect(page.url()).toBe(`${server.url}/console`);
  });

  it("that was used elsewhere, has expired or is wrong says so, and how to get another", async () => {
    const { code } = await createCode(harness);
    await open(`#code=${code}`).then(({ page }) => page.getByRole("heading", { name: "Incidents" }).waitFor());
    const { page } = await open(`#code=${code}`);
    await page.getByText("This link was used. It works once. Get a new one with `dejavu console`").waitFor();
    expect(page.url()).toBe(`${server.url}/console`);
    const expired = await createCode(harness);
    await sql`update public.sign_in_codes set created_at = created_at - interval '1 hour', expires_at = expires_at - interval '1 hour'`;
    await page.goto(`${server.url}/console#code=${expired.code}`);
    await page.getByText("This link has expired.").waitFor();
    await page.goto(`${server.url}/console#code=${"a".repeat(26)}`);
    await page.getByText("This link is incomplete, or of another deployment.").waitFor();
  });
});

describe("a session", () => {
  it("ends by signing out, with what was typed in the tab", async () => {
    const { code } = await createCode(harness);
    const { page } = await open(`/ask#code=${code}`);
    await page.locator("textarea").fill("FATAL: too many clients");
    expect(await page.evaluate(() => sessionStorage.length)).toBe(1);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    expect(await sql`select 1 from public.console_sessions where revoked_at is null`).toEqual([]);
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
  });

  it("that ends while a page is open asks for a new one above the page, which stays", async () => {
    const token = await makeToken(harness, ["admin"], { name: "first" });
    await harness.services.sessions.signIn({ kind: "service", name: null }, "r");
    const { code } = await createCode(harness, bearer(token.token));
    const { page } = await open(`/settings/sessions#code=${code}`);
    const revoke = page.getByRole("button", { name: "Revoke operator" });
    await revoke.waitFor();
    await page.evaluate(`document.querySelector("h1").dataset.mark = "same"`);
    await harness.request(`/v1/admin/tokens/${token.id}`, { method: "DELETE" });
    await revoke.click();
    const dialog = page.getByRole("dialog", { name: "Your session has ended" });
    await dialog.waitFor();
    await page.keyboard.press("Escape");
    expect(await dialog.isVisible()).toBe(true);
    await checkAccessibility(page);
    const { token: next } = await makeToken(harness, ["admin"], { name: "second" });
    await dialog.getByLabel("Token or one-time link").fill(next);
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    expect(await page.evaluate(`document.querySelector("h1").dataset.mark`)).toBe("same");
    await revoke.click();
    await page.getByText("The session of operator is revoked.").waitFor();
  });
});

describe("the list of sessions", () => {
  it("shows who is signed in, marks the own session, and revokes others", async () => {
    const { token } = await makeToken(harness, ["read"], { name: "on-call", domains: ["checkout"] });
    const onCall = await open();
    await onCall.page.getByLabel("Token or one-time link").fill(token);
    await onCall.page.keyboard.press("Enter");
    await onCall.page.getByRole("heading", { level: 1, name: "Incidents" }).waitFor();
    const { code } = await createCode(harness);
    const { page, messages } = await open(`/settings/sessions#code=${code}`, NARROW_DARK);
    await page.getByText("this session").waitFor();
    expect(await page.getByText("read in checkout").count()).toBe(1);
    await checkWidth(page);
    await checkAccessibility(page);
    await page.getByRole("button", { name: "Revoke on-call" }).click();
    await page.getByText("The session of on-call is revoked.").waitFor();
    await page.getByRole("button", { name: "Revoke on-call" }).waitFor({ state: "detached" });
    expect(messages).toEqual([]);
    await onCall.page.reload();
    await onCall.page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
  });
});
