// Runs the deployed bundle in workerd without the proxy, inspector and file watcher of `wrangler dev`, so that times are
// those of the Worker itself.

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import getPort from "get-port";
import { REPO_DIR } from "../../dev/stack/paths.ts";
import { baseEnvironment } from "../../dev/stack/system/child-process.ts";

const require = createRequire(import.meta.url);
const wranglerHome = dirname(require.resolve("wrangler/package.json"));
/** As in wrangler.toml, without the flags that the date implies. */
const COMPATIBILITY = { date: "2026-11-01", flags: ["enable_request_signal"] };
/** A tail Worker that posts the platform's trace events of one invocation to `url` when the invocation ends. */
const OBSERVER = (url: string) => `
// JSON has no bigint.
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
  /** URL of the Dejavu Worker. */
  readonly url: string;
  /** URL of a one-line Worker in the same process: the minimum time of a request. */
  readonly floorUrl: string;
}

export interface BareWorkerOptions {
  /** URL that receives the platform's traces; without it, none are recorded. */
  readonly observer?: string;
}

/** Builds the Worker as for a deployment and serves it. @param env variables of the Worker; it has no other bindings */
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
  const dataFiles = (await readdir(home)).filter((name) => name.endsWith(".bin"));
  await writeFile(join(home, "config.capnp"), configuration(env, { port, floorPort, isObserved, dataFiles }));
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
  await waitUntilReady(child, `${worker.url}/health`);
  return worker;
}

interface Parts {
  readonly port: number;
  readonly floorPort: number;
  readonly isObserved: boolean;
  /** Files that the bundle imports as bytes. */
  readonly dataFiles: readonly string[];
}

function configuration(
  env: Readonly<Record<string, string>>,
  { port, floorPort, isObserved, dataFiles }: Parts,
): string {
  // For these values, JSON strings are valid Cap'n Proto strings.
  const bindings = Object.entries(env).map(
    ([name, text]) => `(name = ${JSON.stringify(name)}, text = ${JSON.stringify(text)})`,
  );
  const common = `compatibilityDate = "${COMPATIBILITY.date}", compatibilityFlags = ${JSON.stringify(COMPATIBILITY.flags)}`;
  const modules = [
    '(name = "index.js", esModule = embed "index.js")',
    ...dataFiles.map((name) => `(name = "${name}", data = embed "${name}")`),
  ];
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
  modules = [${modules.join(", ")}], ${common},
  bindings = [${bindings.join(", ")}],${isObserved ? 'streamingTails = ["observer"],' : ""}
);
const oneLine :Workerd.Worker = (modules = [(name = "one-line.js", esModule = embed "one-line.js")], ${common});
${observer}`;
}

/** The path of the program: the default export of the package workerd. */
function programOf(workerd: unknown): string {
  if (typeof workerd === "object" && workerd !== null && "default" in workerd && typeof workerd.default === "string")
    return workerd.default;
  throw new Error("The package workerd does not export the path of its program.");
}

async function waitUntilReady(child: ChildProcess, url: string): Promise<void> {
  while (child.exitCode === null) {
    const response = await fetch(url).catch(() => null);
    if (response?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`workerd exited with code ${child.exitCode}.`);
}
