// The requests that a fake server leaves without an answer.

import type { ServerResponse } from "node:http";
import type { HungRequests } from "../../../support/test-timers.ts";

export function createHungRequests(): HungRequests & { add(response: ServerResponse): void } {
  const responses = new Set<ServerResponse>();
  const listeners: (() => void)[] = [];
  const notify = () => {
    for (const listener of listeners) listener();
  };
  return {
    get count() {
      return responses.size;
    },
    onChange: (listener) => void listeners.push(listener),
    clear: () => responses.clear(),
    add(response) {
      responses.add(response);
      response.once("close", () => {
        if (responses.delete(response)) notify();
      });
      notify();
    },
  };
}
