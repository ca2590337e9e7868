// Installs of `npm run test:install`, each as a person does it. A step that fails throws.

import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { REPO_DIR } from "../../dev/stack/paths.ts";
import { stackInfoSchema } from "../../dev/stack/stack-info.ts";
import { processesUsing } from "../integration/stack/support/processes.ts";
import { type Machine, NO_NETWORK } from "./machine.ts";

const REPORT = "api-gateway container exited with code 137";
const ANSWER = "exit code 137 (out of memory)";
/** Of letters in both of their encodings. */
const ODD_FOLDER = "d\u00e9ja\u0300 vu (1) 'a' & b";
/** Nothing listens on port 9: a request to a registry or through a proxy fails. */
const UNREACHABLE = "http://127.0.0.1:9";
const OFFLINE_VARIABLES = { npm_config_registry: UNREACHABLE, HTTP_PROXY: UNREACHABLE, HTTPS_PROXY: UNREACHABLE };

/** Runs one step with its name. */
export type Step = <T>(name: string, work: () => Promise<T>) => Promise<T>;
export type Case = (machine: Machine, step: Step) => Promise<void>;

const isNetworkRemovable = spawnSync(NO_NETWORK[0] ?? "", [...NO_NETWORK.slice(1), "true"]).status === 0;

/** A clone: first start, starts without a network, two starts at once, a build. */
const clone: Case = async (machine, step) => {
  const dir = await cloneInto(machine, step);
  await step("first start", () => startOnce(machine, dir));
  const [name, wrapper] = isNetworkRemovable
    ? (["without a network", NO_NETWORK] as const)
    : (["with a proxy and a registry that are down (no right to remove the network)", []] as const);
  await step(`second start ${name}`, () => startOnce(machine, dir, { wrapper, env: OFFLINE_VARIABLES }));
  await step(`build ${name}`, () =>
    machine.run([...wrapper, "npm", "run", "build"], { cwd: dir, env: OFFLINE_VARIABLES }),
  );
  await step(`unit tests ${name}`, async () => {
    const command = [...wrapper, "npm", "test", "--", "unit/lib/text"];
    expectText(await machine.run(command, { cwd: dir, env: OFFLINE_VARIABLES }), ", 0 failed");
  });
  await step("two starts at once", async () => {
    await Promise.all(["one", "two"].map((name) => startOnce(machine, dir, { dataDir: join(machine.folder, name) })));
  });
};

/** The package: packed, unpacked and started, and installed for its command and its client. */
const packed: Case = async (machine, step) => {
  const source = await cloneInto(machine, step);
  await step("npm pack", () => machine.run(["npm", "pack", "--pack-destination", machine.folder], { cwd: source }));
  const tarball = readdirSync(machine.folder).find((name) => name.endsWith(".tgz")) ?? "";
  await machine.run(["rm", "-rf", source], { cwd: machine.folder });
  await step("unpack", () => machine.run(["tar", "-xzf", tarball], { cwd: machine.folder }));
  const dir = join(machine.folder, "package");
  const project = join(machine.folder, "project");
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), "{}");
  await step("npm install of the package", () =>
    machine.run(["npm", "install", join(machine.folder, tarball)], { cwd: project }),
  );
  const serving = machine.start(["npm", "start"], { cwd: dir });
  try {
    await step("first start of the unpacked package", () => serving.waitFor("Dejavu is ready"));
    const { urls, token } = stackInfoSchema.parse(JSON.parse(readFileSync(join(dir, ".dejavu/stack.json"), "utf8")));
    const env = { DEJAVU_URL: urls.worker, DEJAVU_TOKEN: token };
    await step("its command", async () => {
      expectText(await machine.run(["npx", "--no-install", "dejavu", "triage", REPORT], { cwd: project, env }), ANSWER);
    });
    await step("its client", async () => {
      const program = `const { createDejavuClient } = await import("dejavu/client");
        const { data } = await createDejavuClient(process.env.DEJAVU_URL, process.env.DEJAVU_TOKEN).GET("/health");
        console.log(data.status);`;
      expectText(await machine.run(["node", "--input-type=module", "--eval", program], { cwd: project, env }), "ok");
    });
  } finally {
    await serving.stop();
  }
  await step("Ctrl-C", async () => expectNoProcess(machine));
};

/** A clone of a user who is not root. */
const user: Case = async (machine, step) => {
  const dir = await cloneInto(machine, step);
  await step("first start", () => startOnce(machine, dir));
};

export const CASES = { clone, package: packed, user } satisfies Record<string, Case>;
export type CaseName = keyof typeof CASES;

async function cloneInto(machine: Machine, step: Step): Promise<string> {
  const dir = join(machine.folder, ODD_FOLDER);
  await step("git clone", () => machine.run(["git", "clone", "--quiet", REPO_DIR, dir], { cwd: machine.folder }));
  return dir;
}

interface StartOptions {
  readonly dataDir?: string;
  readonly wrapper?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

async function startOnce(
  machine: Machine,
  cwd: string,
  { dataDir, wrapper = [], env = {} }: StartOptions = {},
): Promise<void> {
  const folder = dataDir === undefined ? [] : ["--dir", dataDir];
  const command = [...wrapper, "npm", "start", "--", "--once", REPORT, ...folder];
  expectText(await machine.run(command, { cwd, env }), ANSWER);
}

function expectText(output: string, text: string): void {
  if (!output.includes(text)) throw new Error(`The output does not contain "${text}":\n${output}`);
}

function expectNoProcess({ folder }: Machine): void {
  const left = processesUsing(folder);
  if (left.length > 0) throw new Error(`Processes are left:\n${left.join("\n")}`);
}
