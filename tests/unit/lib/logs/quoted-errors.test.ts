import { describe, expect, it } from "vitest";
import { quotedErrors } from "../../../../lib/logs/quoted-errors.ts";

describe("the errors that a sentence quotes", () => {
  it.each([
    ["it says 'READONLY You can't write against a read only replica.' since then", 0],
    ['my docker: "Bind for 0.0.0.0:9090 failed: port is already allocated", what now?', 0],
    ["I find `connection refused by 10.0.0.1` and “permission denied for table orders”", 1],
  ])("are found in %j", (text, more) => {
    expect(quotedErrors(text)?.split("\n")).toHaveLength(1 + more);
    expect(text).toContain(quotedErrors(text)?.split("\n")[0]);
  });

  it("are none in an error itself", () => {
    expect(
      quotedErrors("ERROR 1064 (42000): You have an error in your SQL syntax near 'OVER (PARTITION BY' at line 3"),
    ).toBeNull();
  });

  it.each([
    "we can't reach it and it's failing, isn't it?",
    "the 'orders' service and `kubectl get pods -n shop` look good since noon",
    "'Error' is all that the page shows since noon",
  ])("are no names, commands or single words: %j", (text) => {
    expect(quotedErrors(text)).toBeNull();
  });
});
