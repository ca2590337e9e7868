// `npm run bench -- screenshot`: docs/images/console-incident.png, the sample incident of `npm start` on a phone.

import { mkdir, mkdtemp, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { chromium } from "playwright-core";
import { seedRunbooks } from "../../cli/seed-runbooks.ts";
import { REPO_DIR } from "../../dev/stack/paths.ts";
import { startStack } from "../../dev/stack/start-stack.ts";
import { reportSampleIncident } from "../../dev/start/sample-incident.ts";
import { findProgram } from "../../tests/support/debian.ts";
import { CONSOLE_COOKIE, signInCookie } from "./sign-in-cookie.ts";

const PATH = join(REPO_DIR, "docs/images/console-incident.png");
/** Higher than a phone, so that the cause and the first steps are in it. */
const WINDOW = { width: 390, height: 1_080 };

const executablePath = await findProgram("chromium");
if (executablePath === null) throw new Error("The screenshot is made in Chromium.");
console.log("Starting a throw-away stack and loading the runbooks (a minute) …");
const stack = await startStack({ dir: await mkdtemp(join(tmpdir(), "dejavu-screenshot-")), ephemeral: true });
try {
  const { urls, token } = stack.info;
  await seedRunbooks({ env: stack.workerEnv });
  await reportSampleIncident(stack.info, new Date());
  // Chromium's sandbox does not work for root.
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  try {
    const context = await browser.newContext({ viewport: WINDOW, deviceScaleFactor: 1.25, colorScheme: "light" });
    const value = await signInCookie(urls.worker, token);
    await context.addCookies([{ name: CONSOLE_COOKIE, value, url: urls.worker, httpOnly: true, sameSite: "Strict" }]);
    const page = await context.newPage();
    await page.goto(`${urls.worker}/console`);
    await page.locator('main a[href*="/console/incidents/"]').first().click();
    await page.waitForURL("**/console/incidents/*");
    await page.getByRole("heading", { level: 2 }).first().waitFor();
    await page.locator("main [aria-busy=true]").first().waitFor({ state: "detached" });
    await mkdir(dirname(PATH), { recursive: true });
    await page.screenshot({ path: PATH });
  } finally {
    await browser.close();
  }
  console.log(`Wrote ${PATH}, ${Math.round((await stat(PATH)).size / 1_000)} kB.`);
} finally {
  await stack.stop();
}
