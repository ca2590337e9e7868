// Requests with the cookie of a console session: from the service's own pages only, and not for agents.

import { beforeEach, describe, expect, it } from "vitest";
import { createApp } from "../../../functions/app.ts";
import { createExecutionContext } from "../support/execution-context.ts";
import { createHarness, emptyStores, type Harness } from "../support/harness.ts";
import { createBrowser } from "../support/session-browser.ts";
import { bearer, makeToken, problemOf } from "../support/tokens.ts";

let harness: Harness;
beforeEach(async () => {
  harness = createHarness();
  await emptyStores(harness.services);
});

const serviceToken = () => harness.services.config.DEJAVU_TOKEN ?? "";

async function signedIn() {
  const browser = createBrowser(harness);
  expect((await browser.signIn({ token: serviceToken() })).status).toBe(200);
  return { browser };
}

describe("the cookie", () => {
  const json = { "content-type": "application/json" };
  const post = (headers: Record<string, string>) => ({ method: "POST", body: "{}", headers: { ...json, ...headers } });

  it.each([
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "none" },
    { "sec-fetch-site": "cross-site", origin: "https://dejavu.test" },
  ])("changes nothing from another site: %o", async (headers) => {
    const { browser } = await signedIn();
    await problemOf(await browser.request("/v1/incidents", post(headers)), 403, "origin-not-allowed");
    const signIn = await createBrowser(harness).signIn({ token: serviceToken() }, headers);
    await problemOf(signIn, 403, "origin-not-allowed");
  });

  it("of a browser without Sec-Fetch-Site needs the service's own Origin", async () => {
    const { browser } = await signedIn();
    const send = async (origin?: string) => {
      const headers = new Headers({ ...json, cookie: browser.cookie, ...(origin !== undefined && { origin }) });
      const request = new Request("https://dejavu.test/v1/incidents", { method: "POST", body: "{}", headers });
      return (await createApp(harness.services).fetch(request, {}, createExecutionContext())).status;
    };
    expect(await send("https://dejavu.test")).toBe(422);
    for (const origin of [undefined, "https://evil.test", "http://dejavu.test", "null"])
      expect(await send(origin)).toBe(403);
  });

  it("reads nothing for a script of another site", async () => {
    const { browser } = await signedIn();
    for (const site of ["cross-site", "same-site"]) {
      const headers = { "sec-fetch-site": site, "sec-fetch-mode": "cors" };
      await problemOf(await browser.request("/v1/incidents", { headers }), 403, "origin-not-allowed");
    }
    const navigation = { "sec-fetch-site": "same-site", "sec-fetch-mode": "navigate" };
    expect((await browser.request("/v1/incidents", { headers: navigation })).status).toBe(200);
  });

  it("loses to a header, and agents cannot use it", async () => {
    const { browser } = await signedIn();
    const { token } = await makeToken(harness, ["read"], { name: "from the header" });
    const who = await browser.request("/v1/session", { headers: bearer(token) });
    expect(await who.json()).toMatchObject({
      name: "from the header",
      session_id: null,
    });
    const call = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const response = await browser.request("/mcp", { method: "POST", body: JSON.stringify(call), headers: json });
    await problemOf(response, 401, "unauthorized");
  });

  it.each(["djs_", `djs_${"A".repeat(43)}`, "", "djv_x"])("with a wrong value is refused: %s", async (value) => {
    const browser = createBrowser(harness);
    browser.cookie = `__Host-dejavu_session=${value}`;
    expect((await browser.request("/v1/incidents")).status).toBe(401);
  });
});
