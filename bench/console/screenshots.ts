// `npm run console:screenshots`: every view and dialog of the console at 390 and 1440 px, light and dark, from seeded data, with a
// contact sheet, in `.dejavu/screenshots/`. Words choose pictures by their name: `npm run console:screenshots -- incident
// narrow-light`. The stack's data stays for the next run; `--fresh` begins anew.

import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Browser, chromium, type Page } from "playwright-core";
import { seedRunbooks } from "../../cli/seed-runbooks.ts";
import { REPO_DIR } from "../../dev/stack/paths.ts";
import { startStack } from "../../dev/stack/start-stack.ts";
import { findProgram } from "../../tests/support/debian.ts";
import { fillConsole } from "./fill-incidents.ts";
import { CONSOLE_COOKIE, signInCookie } from "./sign-in-cookie.ts";

const { values, positionals } = parseArgs({ options: { fresh: { type: "boolean" } }, allowPositionals: true });
const DIR = join(REPO_DIR, ".dejavu/screenshots");
const STACK_DIR = join(REPO_DIR, ".dejavu/screenshots-stack");
const LOOKS = [
  { name: "narrow-light", viewport: { width: 390, height: 844 }, colorScheme: "light" },
  { name: "narrow-dark", viewport: { width: 390, height: 844 }, colorScheme: "dark" },
  { name: "wide-light", viewport: { width: 1440, height: 900 }, colorScheme: "light" },
  { name: "wide-dark", viewport: { width: 1440, height: 900 }, colorScheme: "dark" },
] as const;
interface View {
  readonly name: string;
  /** Below `/console`. An incident is named by words of its title. */
  readonly path: string;
  /** The first of these links is opened. */
  readonly first?: string;
  /** Keys that are pressed then, one after the other. */
  readonly keys?: readonly string[];
  readonly isSignedOut?: boolean;
}

const FIRST_INCIDENT = { path: "?text=orders%20is%20down", first: "main ul a" };
const VIEWS: readonly View[] = [
  { name: "sign-in", path: "", isSignedOut: true },
  { name: "palette", path: "", keys: ["Control+k"] },
  { name: "keys", path: "", keys: ["?"] },
  { name: "selection", path: "", keys: ["j", "x", "j", "x"] },
  { name: "dialog-resolve", ...FIRST_INCIDENT, keys: ["r"] },
  { name: "dialog-not-right", ...FIRST_INCIDENT, keys: ["d", "Tab", "Space"] },
  { name: "dialog-mute", ...FIRST_INCIDENT, keys: ["m"] },
  { name: "incidents", path: "" },
  { name: "incidents-all", path: "?status=all" },
  { name: "incidents-grouped", path: "?group=failure" },
  { name: "incident-returned", ...FIRST_INCIDENT },
  { name: "incident-known", path: "?text=api-gateway", first: "main ul a" },
  { name: "incident-alert", path: "?text=PostgresTooManyConnections", first: "main ul a" },
  { name: "incident-unknown", path: "?text=flux%20capacitor", first: "main ul a" },
  { name: "incident-resolved", path: "?status=resolved&text=too%20many%20clients", first: "main ul a" },
  { name: "incident-benign", path: "?status=all&text=Watchdog", first: "main ul a" },
  { name: "ask", path: "/ask" },
  { name: "runbooks", path: "/runbooks" },
  { name: "runbook", path: "/runbooks/postgres/connection-slots-exhausted-53300.md" },
  { name: "runbook-edit", path: "/runbooks/postgres/connection-slots-exhausted-53300.md?part=edit" },
  { name: "runbook-uses", path: "/runbooks/postgres/connection-slots-exhausted-53300.md?part=uses" },
  { name: "runbook-new", path: "/runbooks/new" },
  { name: "domains", path: "/domains" },
  { name: "domain", path: "/domains/postgres" },
  { name: "memory", path: "/memory" },
  { name: "memory-procedures", path: "/memory/procedures" },
  { name: "memory-answers", path: "/memory/past-answers" },
  { name: "memory-pending", path: "/memory/pending-writes" },
  { name: "quality", path: "/quality" },
  { name: "quality-gaps", path: "/quality/gaps" },
  { name: "quality-system", path: "/quality/system" },
  { name: "mutes", path: "/mutes" },
  { name: "settings", path: "/settings" },
  { name: "settings-sources", path: "/settings/sources" },
  { name: "settings-sessions", path: "/settings/sessions" },
  { name: "settings-tokens", path: "/settings/tokens" },
  { name: "settings-notifications", path: "/settings/notifications" },
];

const executablePath = await findProgram("chromium");
if (executablePath === null) throw new Error("The screenshots are made in Chromium.");
if (values.fresh) await rm(STACK_DIR, { recursive: true, force: true });
const stack = await startStack({ dir: STACK_DIR, requestsPerMinute: 1_000_000, restart: false });
try {
  const { urls, token } = stack.info;
  await seedRunbooks({ env: stack.workerEnv });
  await fillConsole(stack);
  const isChosen = (name: string) => positionals.every((word) => name.includes(word));
  const shots = LOOKS.flatMap((look) =>
    VIEWS.map((view) => ({ look, view, file: `${view.name}.${look.name}.png` })).filter(({ file }) => isChosen(file)),
  );
  // Chromium's sandbox does not work for root.
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  await mkdir(DIR, { recursive: true });
  try {
    const cookie = { name: CONSOLE_COOKIE, value: await signInCookie(urls.worker, token), url: urls.worker };
    for (const look of LOOKS) {
      const own = shots.filter((shot) => shot.look === look);
      if (own.length === 0) continue;
      const { viewport, colorScheme } = look;
      const context = await browser.newContext({ viewport, colorScheme, reducedMotion: "reduce" });
      const page = await context.newPage();
      for (const { view, file } of own) {
        if (view.isSignedOut) await context.clearCookies();
        else await context.addCookies([{ ...cookie, httpOnly: true, sameSite: "Strict" }]);
        await shoot(page, { ...view, url: `${urls.worker}/console${view.path}`, file });
      }
      await context.close();
    }
    await writeContactSheet(
      browser,
      shots.map(({ file }) => file),
    );
  } finally {
    await browser.close();
  }
  console.log(`Wrote ${shots.length} pictures and contact-sheet.png to ${DIR}.`);
} finally {
  await stack.stop();
}

async function shoot(
  page: Page,
  { url, file, first, keys = [] }: View & { readonly url: string; readonly file: string },
): Promise<void> {
  await page.goto(url);
  await waitUntilLoaded(page);
  if (first !== undefined) {
    const link = page.locator(first).first();
    const href = (await link.count()) === 0 ? null : await link.getAttribute("href");
    if (href === null) console.log(`Nothing to open for ${file}.`);
    else {
      await page.goto(new URL(href, url).href);
      await waitUntilLoaded(page);
    }
  }
  for (const key of keys) await page.keyboard.press(key);
  if (keys.length > 0) await page.locator("dialog[open], input:checked").first().waitFor({ state: "attached" });
  // The first screen, then the whole page below it.
  await page.screenshot({ path: join(DIR, file) });
  await page.screenshot({ path: join(DIR, file.replace(".png", ".whole.png")), fullPage: true });
}

async function waitUntilLoaded(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await page.locator("main [aria-busy=true]").first().waitFor({ state: "detached" });
  await page.waitForLoadState("networkidle");
}

async function writeContactSheet(browser: Browser, files: readonly string[]): Promise<void> {
  const figures = files.map((file) => `<figure><img src="${file}"><figcaption>${file}</figcaption></figure>`);
  const style = "body{display:flex;flex-wrap:wrap;gap:8px;font:12px sans-serif}figure{margin:0}img{height:420px}";
  const path = join(DIR, "contact-sheet.html");
  await writeFile(path, `<!doctype html><style>${style}</style>${figures.join("")}`);
  const page = await browser.newPage({ viewport: { width: 1_800, height: 900 } });
  await page.goto(`file://${path}`);
  await page.screenshot({ path: path.replace(".html", ".png"), fullPage: true });
}
