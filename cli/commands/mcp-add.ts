// `dejavu mcp add`: writes the MCP server into the configuration of a client, beside its other entries. The configuration starts
// `dejavu mcp`, so it holds no token.

import { mkdirSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { readFileIfExists, writeFileAtomic } from "../../dev/stack/system/atomic-file.ts";
import { CommandError } from "../service/command-error.ts";
import type { ServiceChoice } from "../service/find-service.ts";
import type { Cli, Invocation } from "../service/invocation.ts";
import type { Environment } from "../service/private-file.ts";

export interface McpAddOptions {
  readonly dryRun?: boolean;
  readonly name?: string;
}

const MCP_CLIENTS = ["claude", "claude-desktop", "cursor", "vscode"] as const;
type Client = (typeof MCP_CLIENTS)[number];

interface ClientFile {
  readonly path: string;
  /** The field that holds the servers. */
  readonly field: "mcpServers" | "servers";
  /** What makes the client read the file again. */
  readonly next: string;
}

/** Starts this program in the same way. @param options that choose the service */
export type ProgramCall = readonly [command: string, ...args: string[]];

const SERVER_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;
/** Of a new file: it holds no secret. */
const FILE_MODE = 0o644;

export async function addToClient({ args, options, cli }: Invocation<McpAddOptions>): Promise<void> {
  const client = MCP_CLIENTS.find((each) => each === args[0]);
  if (client === undefined)
    throw new CommandError("usage", `"${args[0] ?? ""}" is not a known client. Known are: ${MCP_CLIENTS.join(", ")}.`);
  const { name = "dejavu", dryRun = false, url, profile } = options;
  if (!SERVER_NAME.test(name))
    throw new CommandError("usage", "--name must have at most 63 letters, digits, hyphens and underscores.");
  const choice = await lastingChoice(cli, { url, profile });
  const file = fileOf(client, cli.env);
  const [command, ...parts] = programCall(process.execPath, process.argv[1]);
  const words = Object.entries(choice).flatMap(([option, value]) =>
    value === undefined ? [] : [`--${option}`, value],
  );
  const entry = { type: "stdio", command, args: [...parts, "mcp", ...words] };
  const path = linkTarget(file.path);
  const before = readFileIfExists(path);
  const text = withServer(before, { ...file, name, entry });
  const isChanged = text !== before;
  if (!dryRun && isChanged) write(path, text);
  if (options.json) return cli.print(JSON.stringify({ client, path, entry, written: !dryRun && isChanged }));
  if (dryRun) return cli.print(`${path} would hold:\n\n${text.trimEnd()}`);
  cli.print(isChanged ? `Added ${name} to ${path}. ${file.next}` : `${path} has this entry already. ${file.next}`);
}

/**
 * The options with which the bridge finds the same service later: the client starts it without the variables of this shell.
 * @throws CommandError if it would find another one, or no token
 */
async function lastingChoice(cli: Cli, { url, profile }: ServiceChoice): Promise<ServiceChoice> {
  const service = await cli.service();
  const isByVariable = service.chosenBy === "DEJAVU_URL";
  const choice = { url: isByVariable ? service.url : url, profile };
  const { DEJAVU_URL: _url, DEJAVU_TOKEN: _token, ...env } = cli.env;
  const lasting = await cli.serviceElsewhere(choice, env).catch(() => undefined);
  if (lasting !== undefined && new URL(lasting.url).origin === new URL(service.url).origin) return choice;
  throw new CommandError(
    "notAllowed",
    `The client has no DEJAVU_TOKEN. Sign in first, then repeat this command: dejavu login --url ${service.url}`,
  );
}

/** @throws CommandError for a file that is not a JSON object: it may hold comments, which would be lost */
export function withServer(
  text: string | undefined,
  { path, field, name, entry }: Pick<ClientFile, "path" | "field"> & { readonly name: string; readonly entry: object },
): string {
  const refuse = (what: string) =>
    new CommandError(
      "failed",
      `${path} ${what}, so it is left as it is. Add this by hand: ${JSON.stringify({ [field]: { [name]: entry } })}`,
    );
  let config: unknown = {};
  try {
    if (text !== undefined && text.trim() !== "") config = JSON.parse(text);
  } catch {
    throw refuse("is not plain JSON");
  }
  if (!isObject(config)) throw refuse("holds no JSON object");
  const servers = config[field] ?? {};
  if (!isObject(servers)) throw refuse(`has a field ${field} that is no object`);
  if (JSON.stringify(servers[name]) === JSON.stringify(entry)) return text ?? "";
  const indent = /^\{\r?\n([ \t]+)"/.exec(text ?? "")?.[1] ?? "  ";
  return `${JSON.stringify({ ...config, [field]: { ...servers, [name]: entry } }, null, indent)}\n`;
}

/** `node` with the script, which works without a PATH: clients with a window often have none. */
export function programCall(node: string, script: string | undefined): ProgramCall {
  return script === undefined ? ["dejavu"] : [node, resolve(script)];
}

function fileOf(client: Client, env: Environment): ClientFile {
  const home = env.HOME || homedir();
  switch (client) {
    case "claude":
      return { path: resolve(".mcp.json"), field: "mcpServers", next: "Start Claude Code in this folder." };
    case "claude-desktop":
      return {
        path: join(desktopFolder(home, env), "claude_desktop_config.json"),
        field: "mcpServers",
        next: "Restart Claude Desktop.",
      };
    case "cursor":
      return { path: join(home, ".cursor", "mcp.json"), field: "mcpServers", next: "Cursor finds it at once." };
    case "vscode":
      return {
        path: resolve(".vscode", "mcp.json"),
        field: "servers",
        next: "VS Code shows it in this folder: MCP: List Servers.",
      };
  }
}

function desktopFolder(home: string, env: Environment): string {
  if (process.platform === "darwin") return join(home, "Library", "Application Support", "Claude");
  if (process.platform === "win32") return join(env.APPDATA || join(home, "AppData", "Roaming"), "Claude");
  return join(home, ".config", "Claude");
}

function write(path: string, text: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileAtomic(path, text, modeOf(path));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new CommandError("failed", `${path} cannot be written (${code}).`, { cause: error });
  }
}

function modeOf(path: string): number {
  return (statSync(path, { throwIfNoEntry: false })?.mode ?? FILE_MODE) & 0o777;
}

/** The file behind a symbolic link, so that the link stays. */
function linkTarget(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
