// Runs a program of somebody else's that serves HTTP, on a free port and with a folder of its own.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import getPort from "get-port";

/** It is quick, but not on a machine that is busy with other things. */
const PATIENCE_MS = 60_000;
/** Characters of its stderr that an error message shows. */
const KEPT_OUTPUT = 2_000;

export interface ServerProcess extends AsyncDisposable {
  readonly url: string;
}

/** Waits until `/-/ready` says so, as programs of Prometheus' family have it. @throws Error when it never does */
export async function startServer(
  program: string,
  {
    name,
    files,
    args,
  }: {
    readonly name: string;
    /** Contents by name, written to its folder first. */
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
    output = (output + text).slice(-KEPT_OUTPUT);
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
    throw new Error(`${name} did not become ready. Its last words:\n${output}`, { cause: error });
  }
  return { url, [Symbol.asyncDispose]: dispose };
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const response = await fetch(url).catch(() => null);
    if (response?.ok) return;
    if (child.exitCode !== null) throw new Error(`It ended with code ${child.exitCode}.`);
    if (performance.now() > deadline) throw new Error(`It did not answer within ${PATIENCE_MS} ms.`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
