import { gzipSync } from "node:zlib";
import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import type { AppEnv } from "../../../../functions/routes/http/app-env.ts";
import { requireTextBody } from "../../../../functions/routes/http/input.ts";
import { createServices } from "../../../../functions/services.ts";
import { MINIMAL } from "../../config-samples.ts";

const services = createServices(MINIMAL);
const app = new Hono<AppEnv>();
app.use(async (c, next) => {
  c.set("services", services);
  c.set("requestId", "id");
  await next();
});
app.post("/", requireTextBody(["text/markdown"], 1_000), async (c) => c.text(await c.req.text()));

function send(body: string | Uint8Array<ArrayBuffer>) {
  return app.request("/", { method: "POST", body, headers: { "content-type": "text/markdown" } });
}

describe("the text of a runbook", () => {
  it.each(["# 再起動\n\n再起動を実行してください。", "# Перезапуск\n\nПерезапустите сервис.", "# Café 😀"])(
    "may be in any script: %s",
    async (text) => {
      const response = await send(text);
      expect([response.status, await response.text()]).toEqual([200, text]);
    },
  );

  it.each([
    ["a gzip archive", new Uint8Array(gzipSync("# Restart")), 415],
    ["a PNG image", new Uint8Array(Buffer.from("89504e470d0a1a0a0000000d", "hex")), 415],
    ["binary data", "# Restart\0", 415],
    ["not UTF-8", new Uint8Array([0x23, 0x20, 0xe9, 0x0a]), 400],
  ])("is refused if it is %s", async (what, body, status) => {
    const response = await send(body);
    expect(response.status).toBe(status);
    expect(await response.text()).toContain(what);
  });
});
