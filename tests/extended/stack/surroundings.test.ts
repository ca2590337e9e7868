// A whole stack where a machine is unlike a developer's own: its paths, its proxy, no network, no home.

import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { REPO_DIR } from "../../../dev/stack/paths.ts";
import { SERVICE_NAMES } from "../../../dev/stack/services/service.ts";
import { processesUsing } from "../../integration/stack/support/processes.ts";
import { runSupervisor, type SupervisorOptions } from "../../integration/stack/support/run-supervisor.ts";
import { scratchDir, writeProject } from "../../integration/stack/support/scratch.ts";

const MIGRATIONS = { "20260101000000_sample.sql": "create table public.sample (id int);" };
/** Longer than the path of a Unix socket may be, which is 107 bytes. */
const LONG = "long ".repeat(30).trim();
const ODD = "d\u00e9ja\u0300 vu 'é' \"#?% $HOME [1] {a,b} (2) & ; !";
const NOBODY = { uid: 65_534, gid: 65_534 };
const isRoot = process.getuid?.() === 0;

/** Starts every service of a project, waits until all are healthy, and stops them. */
async function startAndStop(
  scratch: string,
  {
    dir = join(scratch, "data"),
    project = join(scratch, "project"),
    ...options
  }: Partial<SupervisorOptions> & {
    readonly dir?: string;
    readonly project?: string;
  } = {},
): Promise<void> {
  const projectDir = writeProject(project, { migrations: MIGRATIONS });
  const supervisor = runSupervisor({ scratch, options: { dir, services: SERVICE_NAMES, projectDir }, ...options });
  const { info } = await supervisor.waitFor(({ type }) => type === "ready");
  expect(Object.keys(info?.pids ?? {}).toSorted()).toEqual([...SERVICE_NAMES].toSorted());
  supervisor.signalGroup("SIGTERM");
  await supervisor.exited;
  expect(processesUsing(scratch)).toEqual([]);
}

/** Whether a command succeeds for that user. */
function succeeds([command = "", ...args]: readonly string[], user = {}): boolean {
  return spawnSync(command, args, { stdio: "ignore", cwd: "/", ...user }).status === 0;
}

/** Runs a command with a loopback interface and no other. SIOCSIFFLAGS sets IFF_UP and IFF_RUNNING. */
const NO_NETWORK = [
  ...["unshare", "--net", "perl", "-e"],
  `socket(my $s, 2, 2, 0) or die; my $lo = pack("a16sx14", "lo", 0x49); ioctl($s, 0x8914, $lo) or die "$!"; exec @ARGV or die "$!";`,
];

describe.runIf(process.platform === "linux")("a stack", { timeout: 300_000 }, () => {
  test("runs on long paths with spaces, quotes, brackets and letters of two encodings, and leaves no temporary file", async () => {
    const scratch = scratchDir();
    const temporary = join(scratch, "tmp", ODD);
    mkdirSync(temporary);
    const folder = join(scratch, ODD, LONG);
    const [dir, project] = [join(folder, "data"), join(folder, "project")];
    await startAndStop(scratch, { dir, project, env: { TMPDIR: temporary } });
    expect(readdirSync(temporary)).toEqual([]);
  });

  test("asks no proxy for its own services, nor for anything else", async () => {
    const requests: string[] = [];
    const proxy = createServer((request, response) => {
      requests.push(`${request.method} ${request.url}`);
      response.writeHead(502).end();
    });
    proxy.on("connect", (request, socket) => {
      requests.push(`CONNECT ${request.url}`);
      socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
    });
    await once(proxy.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void proxy.close());
    const { port } = proxy.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}`;
    const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].flatMap((name) => [name, name.toLowerCase()]);
    const env = { ...Object.fromEntries(names.map((name) => [name, url])), NODE_USE_ENV_PROXY: "1" };
    const scratch = scratchDir();
    await startAndStop(scratch, { env });
    expect(requests).toEqual([]);
    // The Supabase CLI writes it when it looks for a newer version of itself.
    const written = readdirSync(join(scratch, "data/migrations"), { recursive: true, encoding: "utf8" });
    expect(written.filter((path) => path.includes("cli-latest"))).toEqual([]);
    expect(written.some((path) => path.endsWith(".sql"))).toBe(true);
    // The proxy does record what it is asked.
    const client = connect(port, "127.0.0.1")
      .resume()
      .end("CONNECT example.com:443 HTTP/1.1\r\nhost: example.com\r\n\r\n");
    await once(client, "close");
    expect(requests).toEqual(["CONNECT example.com:443"]);
  });

  // In a container: --cap-add=SYS_ADMIN --cap-add=NET_ADMIN
  test.runIf(isRoot && succeeds([...NO_NETWORK, "true"]))("starts without a network", async () => {
    expect(succeeds([...NO_NETWORK, "sh", "-c", "test $(grep -c : /proc/net/dev) = 1"])).toBe(true);
    await startAndStop(scratchDir(), { wrapper: NO_NETWORK });
  });

  test.runIf(isRoot && succeeds(["test", "-x", join(REPO_DIR, "dev")], NOBODY))(
    "runs for an ordinary user who has no home and a strict umask, in the checkout of another user",
    async () => {
      const scratch = scratchDir();
      for (const folder of ["tmp", "own"]) {
        mkdirSync(join(scratch, folder), { recursive: true });
        chownSync(join(scratch, folder), NOBODY.uid, NOBODY.gid);
      }
      const dir = join(scratch, "own/data");
      await startAndStop(scratch, {
        dir,
        user: NOBODY,
        wrapper: ["sh", "-c", 'umask 077; exec "$@"', "sh"],
      });
      expect(statSync(join(dir, "postgres")).uid).toBe(NOBODY.uid);
    },
  );
});
