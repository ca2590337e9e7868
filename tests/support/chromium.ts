// The browser of tests.

import { type Browser, chromium } from "playwright-core";
import { findProgram } from "./debian.ts";

/**
 * Chromium's sandbox does not work for root, and CI runs tests as root. With a zygote, the CPU time of pages would not
 * count as that of the test.
 */
const ARGUMENTS = ["--no-sandbox", "--no-zygote"];

/** Path of the program. Null when it is missing: prints the command that installs it. */
export const chromiumPath = await findProgram("chromium");

/** @throws Error when the program is missing */
export function launchChromium(): Promise<Browser> {
  if (chromiumPath === null) throw new Error("Chromium is missing: apt-get install chromium-headless-shell.");
  return chromium.launch({ executablePath: chromiumPath, args: ARGUMENTS });
}
