// `npm run generate -- drawing`: docs/images/how-it-works.svg, the drawing of the README. How an alert becomes an answer, and how a
// fix comes back.

import { writeFileSync } from "node:fs";
import { escaped, STYLE } from "./svg.ts";

const PICTURE = new URL("../../docs/images/how-it-works.svg", import.meta.url);
const WIDTH = 880;
const HEIGHT = 330;

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly title: string;
  readonly lines: readonly string[];
}

const BOXES: readonly Box[] = [
  {
    x: 20,
    y: 40,
    width: 190,
    height: 110,
    title: "A report",
    lines: ["alert of a monitor", "question in Slack, a log,", "agent or command line"],
  },
  {
    x: 260,
    y: 40,
    width: 340,
    height: 110,
    title: "Triage",
    lines: [
      "removes secrets and injected instructions",
      "reads the lines that say what failed",
      "asks the running system, if sources are set",
    ],
  },
  {
    x: 650,
    y: 40,
    width: 210,
    height: 110,
    title: "An answer",
    lines: ["how sure it is, with sources", "what fixed it before", "causes and first steps"],
  },
  { x: 260, y: 220, width: 160, height: 80, title: "Runbooks", lines: ["those that ship,", "and your own"] },
  { x: 440, y: 220, width: 160, height: 80, title: "Past incidents", lines: ["fixes with proof", "and failed tries"] },
  {
    x: 650,
    y: 220,
    width: 210,
    height: 80,
    title: "A person",
    lines: ["fixes it, and records how", "in one sentence"],
  },
];
/** Points of each arrow, and its words with their place. */
const ARROWS: readonly { readonly points: string; readonly words?: readonly [string, number, number] }[] = [
  { points: "210,95 256,95" },
  { points: "600,95 646,95" },
  { points: "755,150 755,216" },
  { points: "650,260 604,260", words: ["fix", 627, 250] },
  { points: "340,220 340,154", words: ["recalled", 302, 192] },
  { points: "520,220 520,154", words: ["the fix comes back", 592, 192] },
];

function drawing(): string {
  const boxes = BOXES.map(({ x, y, width, height, title, lines }) => {
    const texts = lines.map(
      (line, i) => `<text class="line" x="${x + 14}" y="${y + 50 + 20 * i}">${escaped(line)}</text>`,
    );
    return `  <rect x="${x}" y="${y}" width="${width}" height="${height}" rx="8"/>
  <text class="title" x="${x + 14}" y="${y + 27}">${escaped(title)}</text>
  ${texts.join("\n  ")}`;
  });
  const arrows = ARROWS.map(({ points, words }) => {
    const label =
      words === undefined ? "" : `\n  <text class="label" x="${words[1]}" y="${words[2]}">${escaped(words[0])}</text>`;
    return `  <polyline points="${points}" marker-end="url(#head)"/>${label}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="title">
  <title id="title">A report is triaged with runbooks and past incidents; the fix that a person records comes back in the next answer.</title>
  <style>${STYLE}
    text { font-family: system-ui, sans-serif; fill: var(--text); }
    .title { font-size: 17px; font-weight: 600; }
    .line, .label { font-size: 14px; fill: var(--quiet); }
    .label { text-anchor: middle; fill: var(--name); }
    rect { fill: var(--fill); stroke: var(--line); }
    polyline { fill: none; stroke: var(--line); stroke-width: 2; }
    marker path { fill: var(--line); }
  </style>
  <defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z"/></marker></defs>
${[...boxes, ...arrows].join("\n")}
</svg>
`;
}

writeFileSync(PICTURE, drawing());
console.log("Wrote docs/images/how-it-works.svg.");
