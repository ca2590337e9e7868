// A triage whose answer arrives in parts, as the test wants them. `page.route` would send all of them at once.

import type { Page } from "playwright-core";

export type TriageEvent = readonly [event: string, data: object];

/** Answers the page's next triage with all events but the last. @returns a function that sends the last one */
export async function streamTriage(page: Page, events: readonly TriageEvent[]): Promise<() => Promise<unknown>> {
  const parts = events.map(([event, data]) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  await page.evaluate(`{
    const parts = ${JSON.stringify(parts)};
    const original = window.fetch;
    window.fetch = async (request) => {
      if (!request.url?.endsWith("/v1/triage")) return original(request);
      const stream = new ReadableStream({ start(controller) {
        for (const part of parts.slice(0, -1)) controller.enqueue(new TextEncoder().encode(part));
        window.sendLast = () => { controller.enqueue(new TextEncoder().encode(parts.at(-1))); controller.close(); };
      } });
      return new Response(stream, { headers: { "content-type": "text/event-stream" } });
    };
  }`);
  return () => page.evaluate("window.sendLast()");
}
