import { Readable } from "node:stream";
import { afterEach, expect, it, vi } from "vitest";
import { bridge } from "../../../cli/commands/mcp.ts";
import type { Cli } from "../../../cli/service/invocation.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

async function bridged(message: object, answer: () => Response): Promise<unknown[]> {
  vi.stubGlobal("fetch", async () => answer());
  const printed: unknown[] = [];
  const cli: Pick<Cli, "service" | "stdin" | "print"> = {
    service: async () => ({ url: "http://d.example", token: "t", chosenBy: "", key: "", isLocal: false }),
    stdin: Readable.from([`${JSON.stringify(message)}\n`]),
    print: (text) => printed.push(JSON.parse(text)),
  };
  await bridge({ args: [], options: {}, cli: cli as Cli });
  return printed;
}

const REQUEST = { jsonrpc: "2.0", id: 1, method: "tools/list" };
const progress = `data: {"jsonrpc":"2.0","method":"notifications/progress"}\n\n`;
const stream = () => new Response(progress, { headers: { "content-type": "text/event-stream" } });

it.each([
  [308, () => new Response(null, { status: 308 })],
  [202, () => new Response(null, { status: 202 })],
  [200, stream],
] as const)("a request that the service answers with %i and no response gets an error", async (status, answer) => {
  expect((await bridged(REQUEST, answer)).at(-1)).toEqual({
    jsonrpc: "2.0",
    id: 1,
    error: { code: -32_603, message: `http://d.example answered ${status} without a response.` },
  });
});

it("a notification gets none", async () => {
  const message = { jsonrpc: "2.0", method: "notifications/initialized" };
  expect(await bridged(message, () => new Response(null, { status: 202 }))).toEqual([]);
});
