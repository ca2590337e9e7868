// Owns a Worker in workerd and nothing else: no proxy of `wrangler dev`, no inspector, no watcher. What is left is what
// the Worker itself takes.

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import getPort from "get-port";
import { REPO_DIR } from "../../../dev/stack/paths.ts";
import { baseEnvironment } from "../../../dev/stack/system/child-process.ts";

const require = createRequire(import.meta.url);
const wranglerHome = dirname(require.resolve("wrangler/package.json"));
/** As in wrangler.toml; what the date implies is left out. */
const COMPATIBILITY = { date: "2026-11-01", flags: ["enable_request_signal"] };
/** Sends all that the platform records of one invocation of the Worker, once that is over. */
const OBSERVER = (url: string) => `
// Its counts are no numbers of JSON.
const plain = (_, value) => (typeof value === "bigint" ? Number(value) : value);
export default {
  tailStream(onset) {
    const events = [onset];
    return async (event) => {
      events.push(event);
      if (event.event.type === "outcome")
        await fetch(${JSON.stringify(url)}, { method: "POST", body: JSON.stringify(events, plain) });
    };
  },
};`;
const ONE_LINE = `export default { fetch: () => Response.json({ status: "ok" }) };`;

export interface BareWorker extends AsyncDisposable {
  /** Of our Worker. */
  readonly url: string;
  /** Of a Worker of one line in the same process: what every request takes there. */
  readonly floorUrl: string;
}

export interface BareWorkerOptions {
  /** Where the platform's own traces go; it records none without. */
  readonly observer?: string;
}

/** Builds the Worker as a deployment does and serves it. @param env its variables; bindings it has none */
export async function startBareWorker(
  env: Readonly<Record<string, string>>,
  { observer }: BareWorkerOptions = {},
): Promise<BareWorker> {
  const home = await mkdtemp(join(tmpdir(), "dejavu-workerd-"));
  const [port, floorPort] = [await getPort(), await getPort()];
  await promisify(execFile)(
    process.execPath,
    [join(wranglerHome, "wrangler-dist/cli.js"), "deploy", "--dry-run", "--outdir", home],
    {
      cwd: REPO_DIR,
      env: { ...baseEnvironment(), WRANGLER_SEND_METRICS: "false", CLOUDFLARE_CF_FETCH_ENABLED: "false" },
    },
  );
  await writeFile(join(home, "one-line.js"), ONE_LINE);
  if (observer !== undefined) await writeFile(join(home, "observer.js"), OBSERVER(observer));
  const isObserved = observer !== undefined;
  await writeFile(join(home, "config.capnp"), configuration(env, { port, floorPort, isObserved }));
  const workerd: unknown = createRequire(join(wranglerHome, "package.json"))("workerd");
  const child = spawn(programOf(workerd), ["serve", join(home, "config.capnp"), "--experimental"], {
    env: baseEnvironment(),
    stdio: ["ignore", "ignore", "inherit"],
  });
  const worker = {
    url: `http://127.0.0.1:${port}`,
    floorUrl: `http://127.0.0.1:${floorPort}`,
    async [Symbol.asyncDispose]() {
      child.kill();
      if (child.exitCode === null) await once(child, "exit");
      await rm(home, { recursive: true });
    },
  };
  await answers(child, `${worker.url}/health`);
  return worker;
}

function configuration(
  env: Readonly<Record<string, string>>,
  { port, floorPort, isObserved }: { readonly port: number; readonly floorPort: number; readonly isObserved: boolean },
): string {
  // Cap'n Proto writes strings as C does, and so, of what stands here, does JSON.
  const bindings = Object.entries(env).map(
    ([name, text]) => `(name = ${JSON.stringify(name)}, text = ${JSON.stringify(text)})`,
  );
  const common = `compatibilityDate = "${COMPATIBILITY.date}", compatibilityFlags = ${JSON.stringify(COMPATIBILITY.flags)}`;
  const observer = isObserved
    ? `const observer :Workerd.Worker = (
  modules = [(name = "observer.js", esModule = embed "observer.js")],
  compatibilityDate = "${COMPATIBILITY.date}", compatibilityFlags = ["streaming_tail_worker", "experimental"],
);
`
    : "";
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "dejavu", worker = .dejavu),
    (name = "one-line", worker = .oneLine),${isObserved ? '(name = "observer", worker = .observer),' : ""}
    (name = "internet", network = (allow = ["public", "private"])),
  ],
  sockets = [
    (name = "dejavu", address = "127.0.0.1:${port}", http = (), service = "dejavu"),
    (name = "one-line", address = "127.0.0.1:${floorPort}", http = (), service = "one-line"),
  ],
);
const dejavu :Workerd.Worker = (
  modules = [(name = "index.js", esModule = embed "index.js")], ${common},
  bindings = [${bindings.join(", ")}],${isObserved ? 'streamingTails = ["observer"],' : ""}
);
const oneLine :Workerd.Worker = (modules = [(name = "one-line.js", esModule = embed "one-line.js")], ${common});
${observer}`;
}

/** workerd's package names its program as its default export. */
function programOf(workerd: unknown): string {
  if (typeof workerd === "object" && workerd !== null && "default" in workerd && typeof workerd.default === "string")
    return workerd.default;
  throw new Error("The package workerd does not name its program.");
}

async function answers(child: ChildProcess, url: string): Promise<void> {
  while (child.exitCode === null) {
    const response = await fetch(url).catch(() => null);
    if (response?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`workerd ended with code ${child.exitCode}.`);
}
