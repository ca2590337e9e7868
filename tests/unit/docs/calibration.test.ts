import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { drawCalibration, readPoints } from "../../../bench/relevance/draw-calibration.ts";
import { REPO_DIR } from "../../../dev/stack/paths.ts";
import { readPage } from "../../support/markdown-pages.ts";

describe("docs/images/calibration.svg", () => {
  it("shows the figures of relevance.md; after a change run `npm run bench -- calibration-plot`", () => {
    const points = readPoints(readPage("docs/internals/relevance.md").text);
    expect(readFileSync(join(REPO_DIR, "docs/images/calibration.svg"), "utf8")).toBe(drawCalibration(points));
  });
});

describe("readPoints", () => {
  it("pairs the two rows", () => {
    const page = "| mean probability | 0.1 | 0.9 |\n|---|---|---|\n| share right | 0.2 | 0.8 |\n";
    expect(readPoints(page)).toEqual([
      { probability: 0.1, shareRight: 0.2 },
      { probability: 0.9, shareRight: 0.8 },
    ]);
  });

  it.each(["", "| mean probability | 0.1 |\n", "| mean probability | 0.1 |\n| share right | 1.2 |\n"])(
    "refuses %j",
    (page) => expect(() => readPoints(page)).toThrow("share right"),
  );
});
