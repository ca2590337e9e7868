// A browser for tests of the console's sessions: it keeps the cookie and sends the headers of a page of the service.

import { z } from "zod";
import { createApp } from "../../../functions/app.ts";
import { createExecutionContext } from "./execution-context.ts";
import type { Harness } from "./harness.ts";

const codeSchema = z.object({ code: z.string(), url: z.string().nullable(), expires_at: z.string() });

export interface SessionBrowser {
  /** `name=value`; empty without a cookie. */
  cookie: string;
  request(path: string, init?: RequestInit): Promise<Response>;
  /** Sends `POST /v1/session`, and keeps the cookie. */
  signIn(body: unknown, headers?: Record<string, string>): Promise<Response>;
}

export function createBrowser(harness: Harness, origin = "https://dejavu.test"): SessionBrowser {
  const app = createApp(harness.services);
  const browser: SessionBrowser = {
    cookie: "",
    async request(path, init = {}) {
      const headers = new Headers({ "sec-fetch-site": "same-origin" });
      if (browser.cookie !== "") headers.set("cookie", browser.cookie);
      for (const [name, value] of new Headers(init.headers)) headers.set(name, value);
      const context = createExecutionContext();
      const response = await app.fetch(new Request(`${origin}${path}`, { ...init, headers }), {}, context);
      await context.settled();
      return response;
    },
    async signIn(body, headers = {}) {
      const response = await browser.request("/v1/session", {
        method: "POST",
        body: JSON.stringify(body),
        headers: { "content-type": "application/json", ...headers },
      });
      const [cookie] = response.headers.getSetCookie();
      if (cookie !== undefined) browser.cookie = cookie.split(";", 1)[0] ?? "";
      return response;
    },
  };
  return browser;
}

/** A one-time code of the token; of the service token by default. @param search such as `?name=dana` */
export async function createCode(harness: Harness, headers: Record<string, string> = {}, search = "") {
  const response = await harness.post(`/v1/session/codes${search}`, {}, headers);
  if (response.status !== 201) throw new Error(`No code: ${response.status} ${await response.text()}`);
  return codeSchema.parse(await response.json());
}
