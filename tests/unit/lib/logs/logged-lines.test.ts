import { describe, expect, it } from "vitest";
import { loggedLines } from "../../../../lib/logs/logged-lines.ts";

describe("loggedLines", () => {
  it("keeps code blocks, lines of programs and quoted messages, and no prose", () => {
    const description = [
      "At 10:02 we noticed that the checkout p99 rose to 9 s.",
      "- Service: checkout",
      "Clients got `x509: certificate has expired` from `ingress`.",
      "Error: Cannot find module '/app/dist/server.js'",
      "```",
      "exit code 137",
      "```",
      "2025-05-01 10:00:00,123 ERROR Error while appending records",
      "We restarted the pod.",
    ].join("\n");
    expect(loggedLines(description)?.split("\n")).toEqual([
      "x509: certificate has expired",
      "Error: Cannot find module '/app/dist/server.js'",
      "exit code 137",
      "2025-05-01 10:00:00,123 ERROR Error while appending records",
    ]);
    expect(loggedLines("We restarted the pod, and the node was full.")).toBeNull();
  });
});
