// Installs the packages of package-lock.json when node_modules is out of date. Plain JavaScript without imports of this
// project: it runs on Node 20 with nothing installed. It writes a marker file to node_modules last: after a killed
// install there is none, and the next start installs again.

import { execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";

const MINIMUM_NODE_MAJOR = 20;
const LOCK_POLL_MS = 250;
const PROGRESS_EVERY_MS = 15_000;
/** npm downloads everything into its cache before it unpacks more than this. */
const DOWNLOADING_KB = 50_000;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, "node_modules");
const packageLock = join(root, "package-lock.json");
/** npm never packs a package-lock.json of the root folder: `npm pack` puts a copy here. */
const packedLock = join(root, "dist", "package-lock.json");
const marker = join(modules, ".dejavu-installed");
const lockFile = join(root, ".dejavu", "install.lock");
/** The Node that the project runs on, written by the install script of the package "node". */
export const pinnedNode = join(modules, "node", "bin", process.platform === "win32" ? "node.exe" : "node");

if (Number(process.versions.node.split(".")[0]) < MINIMUM_NODE_MAJOR) {
  fail(`Dejavu needs Node ${MINIMUM_NODE_MAJOR} or newer; this is ${process.version} (${process.execPath}).`);
}
refuseUnusableFolder();
restorePackedLock();
const fingerprint = lockFingerprint();
if (!isInstalled()) {
  takeLock();
  const release = () => rmSync(lockFile, { force: true });
  process.on("exit", release);
  // Another process may have installed while this one waited.
  if (!isInstalled()) await install();
  process.off("exit", release);
  release();
}

/**
 * PATH separates its folders with a colon. PostgreSQL's initdb puts its path between double quotes into a shell command.
 * Vite takes # and ? for parts of a URL.
 */
function refuseUnusableFolder() {
  const characters = [...new Set(root.match(/[:"$`#?]/g))];
  if (characters.length > 0 && process.platform !== "win32")
    fail(`Dejavu does not run in ${root}: the path contains ${characters.join(" ")}. Move or rename the folder.`);
  if (root.split(sep).includes("node_modules"))
    fail(
      `Dejavu does not start in ${root}: Node runs no TypeScript below node_modules. Unpack the package elsewhere (tar -xzf <package>.tgz) and run npm start there.`,
    );
}

/** In an unpacked package. A checkout has the file from git, and its copy may be an old one. */
function restorePackedLock() {
  if (existsSync(packageLock) || !existsSync(packedLock) || existsSync(join(root, ".git"))) return;
  writing(root, () => copyFileSync(packedLock, packageLock));
}

/** Of the locked packages and the platform: a node_modules from another platform is not valid here. */
function lockFingerprint() {
  const lock = readText(packageLock);
  if (lock === undefined) {
    fail(
      "package-lock.json is missing, so the versions to install are unknown. Restore it: git checkout -- package-lock.json, or unpack the package again.",
    );
  }
  const hash = createHash("sha256").update(lock);
  return hash.update(`${process.platform}-${process.arch}`).digest("hex");
}

function isInstalled() {
  if (!existsSync(pinnedNode)) return false;
  if (readText(marker) === fingerprint) return true;
  if (!matchesLock()) return false;
  try {
    writeFileSync(marker, fingerprint);
  } catch {
    // The checkout of another user: the next start compares again, which takes a few milliseconds.
  }
  return true;
}

/** True after a complete `npm ci` or `npm install` by a person: npm writes its hidden lock file last. */
function matchesLock() {
  const installed = readPackages(join(modules, ".package-lock.json"));
  const locked = readPackages(packageLock);
  if (!installed || !locked) return false;
  const isComplete = Object.entries(locked).every(
    ([path, entry]) => path === "" || entry.optional || entry.devOptional || entry.link || installed[path],
  );
  const isSame = Object.entries(installed).every(([path, entry]) => locked[path]?.version === entry.version);
  return isComplete && isSame;
}

/** Packages for this platform whose content the lock file does not identify. */
function uncheckedPackages() {
  const matches = (list, value) => list === undefined || list.includes(value);
  return Object.entries(readPackages(packageLock) ?? {})
    .filter(([path, { integrity, link, os, cpu, libc }]) => {
      const isDownloaded = path.includes("node_modules/") && !link && integrity === undefined;
      return isDownloaded && matches(os, process.platform) && matches(cpu, process.arch) && matches(libc, ownLibc());
    })
    .map(([path, { version }]) => `${path.slice(path.lastIndexOf("node_modules/") + 13)}@${version}`);
}

/** npm's name of the C library. */
function ownLibc() {
  return process.report.getReport().header.glibcVersionRuntime === undefined ? "musl" : "glibc";
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

/** For example `, 640 MB of about 1,500`; nothing where there is no `du`. It fails for files that npm moves meanwhile, after the download. */
function installedSize() {
  return new Promise((resolve) => {
    execFile("du", ["-sk", modules], (_, output) => {
      const kilobytes = Number.parseInt(output, 10);
      const isUnpacked = kilobytes > DOWNLOADING_KB;
      resolve(isUnpacked ? `, ${Math.round(kilobytes / 1_000)} MB of about 1,500` : ", npm downloads the packages");
    });
  });
}

async function install() {
  const reason = existsSync(modules) ? "node_modules is incomplete or out of date" : "nothing is installed yet";
  print(`Installing packages (${reason}). This takes up to three minutes and 1.5 GB...`);
  const unchecked = uncheckedPackages();
  if (unchecked.length > 0) {
    print(
      `  Locked by version only, without a checksum: ${unchecked.join(", ")}. \`npm run generate -- lock\` adds what the registry has.`,
    );
  }
  rmSync(marker, { force: true });
  const startedAt = Date.now();
  const ticker = setInterval(
    async () => print(`  still installing: ${secondsSince(startedAt)} s${await installedSize()}`),
    PROGRESS_EVERY_MS,
  );
  // The locked versions do not change: what npm has cached of a package need not be asked for again.
  let result = await npm("ci", "--prefer-offline");
  // npm cached the list of a package's versions before the locked one was published.
  if (failedWith("ETARGET", result)) result = await npm("ci");
  clearInterval(ticker);
  if (result.signal) process.exit(130);
  if (result.code !== 0) fail(`${result.output}\nnpm failed (exit code ${result.code}). ${adviceFor(result.output)}`);
  if (!existsSync(pinnedNode)) {
    fail(
      `npm ran, but ${pinnedNode} is missing: the install script of the package "node" did not run. Check that npm may run install scripts.`,
    );
  }
  writeFileSync(marker, fingerprint);
  print(`Installed in ${secondsSince(startedAt)} s.`);
}

/** npm 9 and the first of npm 10 write ERR! in place of error. */
function failedWith(code, { output }) {
  return new RegExp(`npm (error|ERR!) code ${code}\\b`).test(output);
}

/** What to do about a failure of npm. */
function adviceFor(output) {
  // `npm install` would install versions that nobody checked.
  if (failedWith("EUSAGE", { output }))
    return "package-lock.json does not list the packages of package.json, so nothing was installed. Restore both files (git checkout -- package.json package-lock.json), or after a change of dependencies run: npm install && npm run generate -- lock";
  if (failedWith("EINTEGRITY", { output }))
    return "A package is not the one in package-lock.json. Do not use it: check the registry that npm uses (npm config get registry), and start again.";
  if (output.includes("ENOSPC"))
    return `The disk is full: the packages need 1.5 GB in ${root} and up to as much in npm's cache.`;
  if (/\bE(ACCES|PERM)\b/.test(output)) return `Check that you may write to ${root} and to npm's cache.`;
  return "Is the npm registry reachable? Start again when it is: npm keeps what it has downloaded.";
}

/** Runs npm. Its output is printed only when it fails. */
function npm(...verb) {
  const { command, args } = findNpm();
  const flags = [
    ...["--no-audit", "--no-fund", "--loglevel=error"],
    // Required to run at all, so they override the person's npm settings.
    ...["--include=dev", "--include=optional", "--ignore-scripts=false", "--engine-strict=false"],
  ];
  const child = spawn(command, [...args, ...verb, ...flags], {
    cwd: root,
    env: systemEnvironment(),
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

/** The npm that runs this script, on its own Node: the Node in node_modules is about to be replaced. */
function findNpm() {
  const { npm_execpath: npm, npm_node_execpath: node } = process.env;
  if (npm && node && !node.startsWith(modules)) return { command: node, args: [npm] };
  return { command: "npm", args: [] };
}

function systemEnvironment() {
  const path = (process.env.PATH ?? "").split(delimiter).filter((entry) => !entry.startsWith(modules + sep));
  return { ...process.env, PATH: path.join(delimiter), SCARF_ANALYTICS: "false" };
}

/** Allows one install at a time in this checkout. Takes over the lock of a process that has exited. */
function takeLock() {
  // A hard link appears with its content. A file that is opened for writing can be seen empty.
  const own = `${lockFile}.${process.pid}`;
  writing(root, () => {
    mkdirSync(dirname(lockFile), { recursive: true, mode: 0o711 });
    writeFileSync(own, String(process.pid));
  });
  try {
    for (let isWaiting = false; !links(own, lockFile); ) {
      const owner = readText(lockFile);
      if (owner === undefined) continue;
      if (!isAlive(Number(owner))) {
        removeStaleLock(owner);
        continue;
      }
      if (!isWaiting) print(`Waiting for process ${owner}, which installs packages here...`);
      isWaiting = true;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOCK_POLL_MS);
    }
  } finally {
    rmSync(own, { force: true });
  }
}

function links(from, to) {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}

/** Puts the lock back if another process has taken it over in between. */
function removeStaleLock(owner) {
  const aside = `${lockFile}.${process.pid}.stale`;
  try {
    renameSync(lockFile, aside);
  } catch {
    return;
  }
  if (readText(aside) !== owner) links(aside, lockFile);
  rmSync(aside, { force: true });
}

/** Runs `work`, and reports a folder that this user may not write to. */
function writing(folder, work) {
  try {
    return work();
  } catch (error) {
    if (!["EACCES", "EPERM", "EROFS"].includes(error.code)) throw error;
    fail(
      `Packages must be installed, and you may not write to ${folder} (${error.code}). Run npm start once as the owner of the folder, then run it with --dir and a folder of your own.`,
    );
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

function secondsSince(startedAt) {
  return Math.round((Date.now() - startedAt) / 1000);
}

function print(message) {
  console.error(message);
}

function fail(message) {
  print(message);
  process.exit(1);
}
