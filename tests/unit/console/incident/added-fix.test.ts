// What fixed an incident, in the runbook that lacked it.

import { describe, expect, it } from "vitest";
import { lacksFix, withFix } from "../../../../console/src/views/incident/answer/model/added-fix.ts";

const TEXT =
  "# Queue stalls\n\n## Mitigation\n\n1. Restart the consumer.\n\n   `restart consumer`\n\n## Prevention\n\n- Watch it.\n";

describe("a fix", () => {
  it("is lacking unless the text has most of its words", () => {
    expect(lacksFix(TEXT, "Restarted the consumer, restart the consumer")).toBe(true);
    expect(lacksFix(TEXT, "Restart the consumer")).toBe(false);
    expect(lacksFix(TEXT, "Raised the partition count to twelve")).toBe(true);
    expect(lacksFix(TEXT, "ok")).toBe(false);
  });

  it("becomes the last item of the section that says what to do", () => {
    expect(withFix(TEXT, "Raise the\n partition count.")).toBe(
      TEXT.replace("\n\n## Prevention", "\n2. Raise the partition count.\n\n## Prevention"),
    );
    expect(withFix("# A\n\n## How to fix it\n\nDo this:\n", "Wait.")).toBe(
      "# A\n\n## How to fix it\n\nDo this:\n\n- Wait.\n",
    );
  });

  it("gets a section of its own where none says what to do", () => {
    expect(withFix("# A\n\nText.\n", "Wait.")).toBe("# A\n\nText.\n\n## Mitigation\n\n- Wait.\n");
  });
});
