import { expect, it } from "vitest";
import { instantOf, timeOf } from "../../../../lib/logs/log-time.ts";

it.each([
  ["[01-Mar-2026 03:41:09 UTC] PHP Fatal error", "2026-03-01T03:41:09.000Z"],
  ["01-Mar-2026 03:41:09.120 SEVERE [main] Catalina.start", "2026-03-01T03:41:09.120Z"],
  ["01 Mar 2026 03:41:09 ERROR", "2026-03-01T03:41:09.000Z"],
  ["2026.03.01 03:41:09.120334 [ 7 ] <Error>", "2026-03-01T03:41:09.120Z"],
  ["[26/03/2026, 03:41:09] Dana: it is down", "2026-03-26T03:41:09.000Z"],
])("the time of %j has its date", (line, time) => {
  expect(new Date(instantOf(timeOf(line) ?? "")).toISOString()).toBe(time);
});
