// `npm run generate -- recording`: docs/images/recording.svg, the recording of the README, from a real run. On a stack of its own, a
// failure is triaged, its fix recorded, and the fix comes back in another report.

import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { seedRunbooks } from "../../cli/seed-runbooks.ts";
import { REPO_DIR } from "../stack/paths.ts";
import type { Stack } from "../stack/stack.ts";
import { startStack } from "../stack/start-stack.ts";
import { withTemporaryFolder } from "../stack/system/temporary-folder.ts";
import { escaped, STYLE } from "./svg.ts";

const PICTURE = new URL("../../docs/images/recording.svg", import.meta.url);
const COLUMNS = 96;
const ROWS = 27;
const [CHARACTER_WIDTH, LINE_HEIGHT, MARGIN] = [8.43, 18, 16];

const PROMPT = "$ ";
const FIX = "Put PgBouncer in transaction mode before the database";

interface Step {
  /** As a person types it. */
  readonly typed: string;
  readonly args: readonly string[];
  readonly input?: string;
  readonly seconds: number;
}

const STEPS: readonly Step[] = [
  {
    typed: 'dejavu triage "FATAL: sorry, too many clients already"',
    args: ["triage", "FATAL: sorry, too many clients already"],
    seconds: 6,
  },
  {
    typed: `dejavu resolve last "${FIX}"`,
    args: ["resolve", "last", FIX],
    seconds: 3,
  },
  {
    typed: 'kubectl logs orders-7c9f | dejavu triage "orders is down" --target orders --file -',
    args: ["triage", "orders is down", "--target", "orders", "--file", "-"],
    input: "psycopg2: FATAL: sorry, too many clients already\n",
    seconds: 8,
  },
];

async function record(): Promise<string[][]> {
  return withTemporaryFolder("dejavu-recording-", async (dir) => {
    const stack = await startStack({ dir, ephemeral: true });
    try {
      return await recordOn(stack);
    } finally {
      await stack.stop();
    }
  });
}

async function recordOn(stack: Stack): Promise<string[][]> {
  await seedRunbooks({ env: stack.workerEnv });
  const env = {
    ...process.env,
    DEJAVU_URL: stack.info.urls.worker,
    DEJAVU_TOKEN: stack.workerEnv.DEJAVU_TOKEN,
    COLUMNS: String(COLUMNS),
    FORCE_COLOR: "1",
  };
  const screens: string[][] = [];
  for (const { typed, args, input } of STEPS) {
    const output = await run(args, { env, input });
    screens.push([PROMPT + typed, ...output.trimEnd().split("\n")]);
  }
  return screens;
}

/** @throws Error for a command that fails */
function run(
  args: readonly string[],
  { env, input }: { readonly env: NodeJS.ProcessEnv; readonly input?: string | undefined },
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(REPO_DIR, "cli/dejavu.ts"), ...args], {
      env,
      stdio: ["pipe", "pipe", "inherit"],
    });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve(output);
      else reject(new Error(`dejavu ${args[0]} exited with ${code}.`));
    });
    child.stdin.end(input ?? "");
  });
}

/** A line of the terminal as SVG. The typed command and the fix stand out. */
function lineOf(text: string, row: number): string {
  const look = text.startsWith(PROMPT) ? ' class="typed"' : text.includes(FIX) ? ' class="fix"' : "";
  const y = MARGIN + LINE_HEIGHT * (row + 0.8);
  return `<text${look} x="${MARGIN}" y="${y}" xml:space="preserve">${escaped(text)}</text>`;
}

function pictureOf(screens: readonly (readonly string[])[]): string {
  const [width, height] = [Math.ceil(2 * MARGIN + COLUMNS * CHARACTER_WIDTH), 2 * MARGIN + ROWS * LINE_HEIGHT];
  const total = STEPS.reduce((sum, { seconds }) => sum + seconds, 0);
  let begin = 0;
  const keyframes: string[] = [];
  const groups = screens.map((lines, i) => {
    const shown = lines.length > ROWS ? [...lines.slice(0, ROWS - 1), "…"] : lines;
    const [from, to] = [(begin / total) * 100, ((begin + (STEPS[i]?.seconds ?? 0)) / total) * 100];
    begin += STEPS[i]?.seconds ?? 0;
    const before = from === 0 ? "" : `0%, ${(from - 0.01).toFixed(2)}% { opacity: 0 } `;
    const after = to >= 100 ? "" : ` ${(to + 0.01).toFixed(2)}%, 100% { opacity: 0 }`;
    keyframes.push(`@keyframes s${i} { ${before}${from.toFixed(2)}%, ${to.toFixed(2)}% { opacity: 1 }${after} }`);
    return `  <g class="screen" style="animation-name: s${i}">\n    ${shown.map(lineOf).join("\n    ")}\n  </g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title">
  <title id="title">In a terminal: a failure is triaged, its fix recorded, and the fix comes back in the answer to another report.</title>
  <style>${STYLE}
    text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: var(--text); }
    .frame { fill: var(--fill); stroke: var(--line); }
    .typed { fill: var(--name); font-weight: 700 } .fix { fill: var(--good); font-weight: 700 }
    .screen { opacity: 0; animation: ${total}s step-end infinite }
    ${keyframes.join("\n    ")}
    @media (prefers-reduced-motion: reduce) { .screen { animation: none } .screen:last-of-type { opacity: 1 } }
  </style>
  <rect class="frame" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
${groups.join("\n")}
</svg>
`;
}

writeFileSync(PICTURE, pictureOf(await record()));
console.log("Wrote docs/images/recording.svg.");
