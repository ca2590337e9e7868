// `dejavu open` and `console`: the page of the service in a browser, and a link that signs in to its console once.

import { spawn } from "node:child_process";
import { z } from "zod";
import { signInLink } from "../../functions/answer-view/console-link.ts";
import { callFor } from "../service/client.ts";
import type { Invocation } from "../service/invocation.ts";
import { personOf } from "../service/person.ts";

const OPENED_AFTER_MS = 2_000;

export async function open({ options, cli }: Invocation): Promise<void> {
  const { url } = await cli.service();
  const page = `${url}/`;
  if (options.json) return cli.print(JSON.stringify({ url: page }));
  const isOpened = (await hasScreen(cli.env)) && (await openPage(page));
  cli.print(isOpened ? `Opened ${page}` : page);
}

const linkSchema = z.object({ code: z.string(), url: z.string().nullable(), expires_at: z.string() });

export async function printLink({ options, cli }: Invocation<{ readonly open?: boolean }>): Promise<void> {
  const service = await cli.service();
  const name = personOf(cli.env, undefined);
  const query = name === undefined ? {} : { name };
  const { code, ...link } = await callFor(service, { method: "POST", path: "/v1/session/codes", query }, linkSchema);
  // Without PUBLIC_URL, the service does not know by which name people open it.
  const url = link.url ?? signInLink(service.url, code);
  if (options.json) return cli.print(JSON.stringify({ ...link, url }));
  if (options.open && (await openPage(url))) return cli.print("Opened the console.");
  cli.print(url);
  cli.note("It works once, within 10 minutes, for the first person who opens it. Do not share it.");
}

/** Whether a browser could show something: not over SSH or in a container. */
async function hasScreen(env: Invocation["cli"]["env"]): Promise<boolean> {
  if (process.platform === "darwin" || process.platform === "win32") return !env.SSH_CONNECTION;
  return Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
}

/** Without a shell: the address is one argument of the program. */
async function openPage(page: string): Promise<boolean> {
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
