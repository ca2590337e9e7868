// `dejavu open`: opens the page of the service in a browser.

import { spawn } from "node:child_process";
import type { Invocation } from "../service/invocation.ts";

const OPENED_AFTER_MS = 2_000;

export async function run({ options, cli }: Invocation): Promise<void> {
  const { url } = await cli.service();
  const page = `${url}/`;
  if (options.json) return cli.print(JSON.stringify({ url: page }));
  const isOpened = (await hasScreen(cli.env)) && (await openPage(page));
  cli.print(isOpened ? `Opened ${page}` : page);
}

/** Whether a browser could show something: not over SSH or in a container. */
async function hasScreen(env: Invocation["cli"]["env"]): Promise<boolean> {
  if (process.platform === "darwin" || process.platform === "win32") return !env.SSH_CONNECTION;
  return Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
}

/** Without a shell: the address is one argument of the program. */
export async function openPage(page: string): Promise<boolean> {
  const [program, ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  return new Promise((resolve) => {
    const child = spawn(program ?? "xdg-open", [...args, page], { stdio: "ignore", detached: true });
    child.once("error", () => resolve(false));
    child.once("exit", (code) => resolve(code === 0));
    // Some openers end only with the browser.
    child.once("spawn", () => setTimeout(() => resolve(true), OPENED_AFTER_MS));
    child.unref();
  });
}

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ["open"],
  win32: ["explorer.exe"],
};
