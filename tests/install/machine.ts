// A machine with nothing installed but one version of Node: a home, a PATH and a process group of its own.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";

/** The npm that comes with a version of Node. */
const NPM_OF: Readonly<Record<string, string>> = { 20: "10", 22: "10", 24: "11" };
export const NODE_VERSIONS = Object.keys(NPM_OF);

/** Variables of a person that a network may require. */
const NETWORK = [
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "http_proxy",
  "https_proxy",
  "no_proxy",
  "NODE_EXTRA_CA_CERTS",
];
const STOP_MS = 30_000;
const SHOWN_CHARS = 4_000;

/** Runs a command with a loopback interface and no other. SIOCSIFFLAGS sets IFF_UP and IFF_RUNNING. */
export const NO_NETWORK = [
  ...["unshare", "--net", "perl", "-e"],
  `socket(my $s, 2, 2, 0) or die; my $lo = pack("a16sx14", "lo", 0x49); ioctl($s, 0x8914, $lo) or die "$!"; exec @ARGV or die "$!";`,
];

export interface User {
  readonly uid: number;
  readonly gid: number;
}

export interface MachineOptions {
  /** Everything is below it. */
  readonly folder: string;
  readonly node: string;
  readonly registry: string;
  readonly user?: User | undefined;
  readonly signal: AbortSignal;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Machine {
  readonly folder: string;
  readonly node: string;
  readonly env: Readonly<Record<string, string>>;
  /** The output of a command. @throws Error with its end when the command fails */
  run(command: readonly string[], options: RunOptions): Promise<string>;
  start(command: readonly string[], options: RunOptions): Running;
}

export interface Running {
  /** Resolves when the output contains the text. @throws Error when the process ends before */
  waitFor(text: string): Promise<void>;
  /** Ctrl-C; resolves when the process has ended. */
  stop(): Promise<void>;
}

/** Installs that Node with its npm. Downloads are shared by the machines of a folder. */
export async function createMachine(options: MachineOptions): Promise<Machine> {
  const { folder, node, registry, user } = options;
  const tools = join(folder, "..", `node-${node}`);
  const home = join(folder, "home");
  for (const path of [folder, home, join(folder, "tmp")]) {
    mkdirSync(path, { recursive: true });
    if (user) chownSync(path, user.uid, user.gid);
  }
  // A checkout in a container may belong to another user.
  writeFileSync(join(home, ".gitconfig"), "[safe]\n\tdirectory = *\n");
  const base = {
    ...Object.fromEntries(NETWORK.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))),
    HOME: home,
    TMPDIR: join(folder, "tmp"),
    npm_config_registry: registry,
    npm_config_cache: user ? join(home, "cache") : join(folder, "..", "cache"),
    npm_config_update_notifier: "false",
  };
  const system = (process.env.PATH ?? "").split(delimiter).filter((path) => !path.includes("node_modules"));
  if (!existsSync(join(tools, "node_modules/.bin/npm"))) {
    mkdirSync(tools, { recursive: true });
    writeFileSync(join(tools, "package.json"), JSON.stringify({ allowScripts: { node: true } }));
    const install = ["npm", "install", "--no-audit", "--no-fund", `node@${node}`, `npm@${NPM_OF[node]}`];
    await launch(
      install,
      { cwd: tools, env: { ...base, PATH: system.join(delimiter) } },
      { ...options, user: undefined },
    ).ended;
  }
  const env = { ...base, PATH: [join(tools, "node_modules/.bin"), ...system].join(delimiter) };
  const merged = (run: RunOptions) => ({ ...run, env: { ...env, ...run.env } });
  return {
    folder,
    node,
    env,
    run: (command, run) => launch(command, merged(run), options).ended,
    start: (command, run) => launch(command, merged(run), options),
  };
}

interface Launched extends Running {
  readonly ended: Promise<string>;
}

function launch(
  [command = "", ...args]: readonly string[],
  { cwd, env }: Required<RunOptions>,
  { user, signal }: Pick<MachineOptions, "user" | "signal">,
): Launched {
  signal.throwIfAborted();
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"], ...user });
  let output = "";
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      for (const listener of listeners) listener();
    });
  const interrupt = (): void => signalGroup(child, "SIGINT");
  signal.addEventListener("abort", interrupt, { once: true });
  const exited = once(child, "close").finally(() => signal.removeEventListener("abort", interrupt));
  const failure = (code: unknown): Error =>
    new Error(`${[command, ...args].join(" ")} ended with ${code}:\n${output.slice(-SHOWN_CHARS)}`);
  const ended = exited.then(([code]) => {
    if (code !== 0) throw failure(code);
    return output;
  });
  // A command that serves is stopped, and nobody waits for its result.
  ended.catch(() => {});
  return {
    ended,
    waitFor: (text) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          if (!output.includes(text)) return;
          listeners.delete(check);
          resolve();
        };
        listeners.add(check);
        exited.then(([code]) => reject(failure(code)), reject);
        check();
      }),
    stop: async () => {
      signalGroup(child, "SIGINT");
      const timer = setTimeout(() => signalGroup(child, "SIGKILL"), STOP_MS);
      await exited.finally(() => clearTimeout(timer));
    },
  };
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // The group has ended.
  }
}
