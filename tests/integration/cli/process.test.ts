// The command line as a process of its own: exit codes, pipes and Ctrl-C.

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { REPO_DIR } from "../../../dev/stack/paths.ts";
import { runCommand } from "../support/run-command.ts";
import { createPerson } from "./support/person.ts";

const SCRIPT = "cli/dejavu.ts";
const NODE_COMPILE_CACHE = process.env.NODE_COMPILE_CACHE;

it("reads piped standard input, and exits with the code of the command", async () => {
  await using dana = await createPerson();
  const login = await runCommand(
    SCRIPT,
    ["login", "--url", "https://dejavu.example", "--token-stdin"],
    dana.env,
    "a b",
  );
  expect(login).toEqual({
    code: 2,
    out: "",
    problems: "This is no token: it must be one word of visible ASCII characters.\n",
  });
  expect(await runCommand(SCRIPT, ["--version"], dana.env)).toMatchObject({ code: 0, problems: "" });
});

it("survives a reader that closes the pipe", async () => {
  const command = `set -o pipefail; "${process.execPath}" "${join(REPO_DIR, SCRIPT)}" --help | head -1`;
  const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE };
  const { stdout, stderr } = await promisify(execFile)("bash", ["-c", command], { env });
  expect(stdout + stderr).toBe("Usage: dejavu [options] [command]\n");
});

it("ends with 130 on Ctrl-C, also while the service stalls", async () => {
  await using dana = await createPerson();
  const stalled = createServer().listen(0, "127.0.0.1");
  await once(stalled, "listening");
  const address = stalled.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  const env = {
    ...dana.env,
    ...{ NODE_COMPILE_CACHE, DEJAVU_URL: `http://127.0.0.1:${address.port}`, DEJAVU_TOKEN: "a-token" },
  };
  const child = spawn(process.execPath, [join(REPO_DIR, SCRIPT), "triage", "x"], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [problems] = await Promise.all([
    text(child.stderr),
    once(stalled, "request").then(() => child.kill("SIGINT")),
    once(child, "close"),
  ]);
  stalled.closeAllConnections();
  stalled.close();
  expect({ code: child.exitCode, problems }).toEqual({
    code: 130,
    problems: "Stopped. The triage may finish on the service: see dejavu list.\n",
  });
});
