// Runs an HTTP server of another project (Prometheus, Alertmanager) on a free port with a folder of its own.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import getPort from "get-port";

/** The end of stderr that an error message shows. */
const MAX_OUTPUT_CHARS = 2_000;

export interface ServerProcess extends AsyncDisposable {
  readonly url: string;
}

/** Waits until `/-/ready` answers 200, as in all Prometheus programs. @throws Error when it ends before */
export async function startServer(
  program: string,
  {
    name,
    files,
    args,
  }: {
    readonly name: string;
    /** Contents by name, written to its folder before the start. */
    readonly files: Readonly<Record<string, string>>;
    /** @param address host and port */
    readonly args: (folder: string, address: string) => readonly string[];
  },
): Promise<ServerProcess> {
  const folder = await mkdtemp(join(tmpdir(), `dejavu-${name}-`));
  for (const [file, content] of Object.entries(files)) await writeFile(join(folder, file), content);
  const address = `127.0.0.1:${await getPort({ host: "127.0.0.1" })}`;
  const child = spawn(program, args(folder, address), { stdio: ["ignore", "ignore", "pipe"] });
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output = (output + text).slice(-MAX_OUTPUT_CHARS);
  });
  const dispose = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    await rm(folder, { recursive: true, force: true });
  };
  const url = `http://${address}`;
  try {
    await untilReady(`${url}/-/ready`, child);
  } catch (error) {
    await dispose();
    throw new Error(`${name} did not become ready. The end of its output:\n${output}`, { cause: error });
  }
  return { url, [Symbol.asyncDispose]: dispose };
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  for (;;) {
    const response = await fetch(url).catch(() => null);
    if (response?.ok) return;
    const end = child.exitCode ?? child.signalCode;
    if (end !== null) throw new Error(`The process ended with ${end}.`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
