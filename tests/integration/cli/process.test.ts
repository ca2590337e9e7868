// The command line as a process of its own: exit codes, pipes and Ctrl-C.

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { REPO_DIR } from "../../../dev/stack/paths.ts";
import { runCommand } from "../support/run-command.ts";
import { fakeService } from "./support/fake-service.ts";
import { createPerson } from "./support/person.ts";

const SCRIPT = "cli/dejavu.ts";
const { NODE_COMPILE_CACHE } = process.env;

it("reads piped standard input, and exits with the code of the command", async () => {
  await using dana = await createPerson();
  const login = ["login", "--url", "https://dejavu.example", "--token-stdin"];
  expect(await runCommand(SCRIPT, login, dana.env, "two words")).toEqual({
    code: 2,
    out: "",
    problems: "This is no token: it must be one word of visible ASCII characters.\n",
  });
  expect(await runCommand(SCRIPT, ["--version"], dana.env)).toMatchObject({ code: 0, problems: "" });
});

it("survives a reader that closes the pipe", async () => {
  await using dana = await createPerson({ NODE_COMPILE_CACHE });
  const command = `set -o pipefail; "${process.execPath}" "${join(REPO_DIR, SCRIPT)}" --help | head -1`;
  const { stdout, stderr } = await promisify(execFile)("bash", ["-c", command], { env: dana.env });
  expect(stdout + stderr).toBe("Usage: dejavu [options] [command]\n");
});

it("ends with 130 on Ctrl-C while the service stalls", async () => {
  const { promise: request, resolve } = Promise.withResolvers<void>();
  await using stalled = await fakeService(() => resolve());
  await using dana = await createPerson({ NODE_COMPILE_CACHE, DEJAVU_URL: stalled.url, DEJAVU_TOKEN: "a-token" });
  const child = spawn(process.execPath, [join(REPO_DIR, SCRIPT), "triage", "x"], {
    env: dana.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const problems = text(child.stderr);
  await request;
  child.kill("SIGINT");
  const [code] = await once(child, "close");
  expect({ code, problems: await problems }).toEqual({
    code: 130,
    problems: "Stopped. The triage may finish on the service: see dejavu list.\n",
  });
});
