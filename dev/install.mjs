/**
 * Makes sure that node_modules is what package-lock.json says, before `npm start` and `npm test`. Runs on a bare
 * Node 20 with nothing installed, so it is plain JavaScript without imports of ours. The marker it leaves inside
 * node_modules is written last: an install that was killed has none and is done again.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";

const MINIMUM_NODE_MAJOR = 20;
const LOCK_POLL_MS = 250;
const PROGRESS_EVERY_MS = 15_000;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, "node_modules");
const marker = join(modules, ".dejavu-installed");
const lockFile = join(root, ".dejavu", "install.lock");
/** The Node the project runs on; its package's install script puts it there. */
const pinnedNode = join(modules, "node", "bin", process.platform === "win32" ? "node.exe" : "node");

if (Number(process.versions.node.split(".")[0]) < MINIMUM_NODE_MAJOR) {
  fail(`Dejavu needs Node ${MINIMUM_NODE_MAJOR} or newer; this is ${process.version} (${process.execPath}).`);
}
const wanted = fingerprint();
if (!isInstalled()) {
  takeLock();
  process.on("exit", () => rmSync(lockFile, { force: true }));
  // Another start may have installed while this one waited.
  if (!isInstalled()) await install();
}

/** The locked packages on this platform: a node_modules carried to another machine does not count. */
function fingerprint() {
  const hash = createHash("sha256").update(readFileSync(join(root, "package-lock.json")));
  return hash.update(`${process.platform}-${process.arch}`).digest("hex");
}

function isInstalled() {
  if (!existsSync(pinnedNode)) return false;
  if (readText(marker) === wanted) return true;
  if (!matchesLock()) return false;
  writeFileSync(marker, wanted);
  return true;
}

/** True after somebody's own complete `npm ci` or `npm install`: npm writes its hidden lock file at the very end. */
function matchesLock() {
  const installed = readPackages(join(modules, ".package-lock.json"));
  const locked = readPackages(join(root, "package-lock.json"));
  if (!installed || !locked) return false;
  const isWhole = Object.entries(locked).every(
    ([path, entry]) => path === "" || entry.optional || entry.devOptional || entry.link || installed[path],
  );
  const isSame = Object.entries(installed).every(([path, entry]) => locked[path]?.version === entry.version);
  return isWhole && isSame;
}

function readPackages(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8")).packages;
  } catch {
    return undefined;
  }
}

function readText(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

async function install() {
  const why = existsSync(modules) ? "what is installed is incomplete or out of date" : "nothing is installed yet";
  say(`Installing packages (${why}). This takes one to three minutes and 1.2 GB...`);
  rmSync(marker, { force: true });
  const began = Date.now();
  const ticker = setInterval(() => say(`  still installing, ${secondsSince(began)} s`), PROGRESS_EVERY_MS);
  let result = await npm("ci");
  // The lock file lacks packages of other platforms when the registry that made it had none of them. `npm ci` refuses
  // such a file; `npm install` takes the same locked versions from it and, told so, changes no file.
  if (result.output.includes("npm error code EUSAGE")) result = await npm("install", "--no-save");
  clearInterval(ticker);
  if (result.signal) process.exit(130);
  if (result.code !== 0)
    fail(`${result.output}\nnpm failed (exit code ${result.code}). Is the npm registry reachable?`);
  if (!existsSync(pinnedNode)) {
    fail(`npm ran, but ${pinnedNode} is missing: the install script of the package "node" did not run.`);
  }
  writeFileSync(marker, wanted);
  say(`Installed in ${secondsSince(began)} s.`);
}

/** Runs npm and keeps what it says for the case that it fails: only its errors are worth reading. */
function npm(...verb) {
  const { command, args } = findNpm();
  const flags = [
    ...["--no-audit", "--no-fund", "--loglevel=error"],
    // Whatever the person's own npm settings are, these are needed to run at all.
    ...["--include=dev", "--include=optional", "--ignore-scripts=false", "--engine-strict=false"],
  ];
  const child = spawn(command, [...args, ...verb, ...flags], {
    cwd: root,
    env: outsideEnvironment(),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  return new Promise((resolve) => {
    child.once("error", (error) =>
      resolve({ code: 1, signal: null, output: `npm could not be started: ${error.message}` }),
    );
    child.once("close", (code, signal) => resolve({ code, signal, output: output.trim() }));
  });
}

/** The npm that called us, on its own Node: the one in node_modules is about to be replaced. */
function findNpm() {
  const { npm_execpath: npm, npm_node_execpath: node } = process.env;
  if (npm && node && !node.startsWith(modules)) return { command: node, args: [npm] };
  return { command: "npm", args: [] };
}

function outsideEnvironment() {
  const path = (process.env.PATH ?? "").split(delimiter).filter((entry) => !entry.startsWith(modules + sep));
  return { ...process.env, PATH: path.join(delimiter) };
}

/** One install at a time in this checkout. A lock whose process is gone is taken over. */
function takeLock() {
  mkdirSync(dirname(lockFile), { recursive: true, mode: 0o711 });
  for (let told = false; ; told = true) {
    try {
      return writeFileSync(lockFile, String(process.pid), { flag: "wx" });
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    const owner = Number(readText(lockFile));
    if (!isAlive(owner)) rmSync(lockFile, { force: true });
    else if (!told) say(`Waiting for process ${owner}, which installs packages here...`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOCK_POLL_MS);
  }
}

function isAlive(pid) {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

function secondsSince(began) {
  return Math.round((Date.now() - began) / 1000);
}

function say(message) {
  console.error(message);
}

function fail(message) {
  say(message);
  process.exit(1);
}
