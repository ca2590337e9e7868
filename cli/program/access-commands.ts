// Commands about this command line: sign in, sign out, open the page.

import { Argument } from "commander";
import type { McpAddOptions } from "../commands/mcp-add.ts";
import { addCommand, type Parent } from "./command-builder.ts";

export function addAccessCommands(parent: Parent): void {
  addCommand(parent, {
    usage: "login",
    description: "sign in to a service: verify a token and store it",
    define: (command) =>
      command
        .option("--url <url>", "the service")
        .option("--profile <name>", 'name of the profile; "default" by default')
        .option("--name <name>", "your name: what you record is in it, else in the token's; alone, only this is stored")
        .option("--token-stdin", "read the token from standard input")
        .option("--default", "use this profile if none is named")
        .option("--insecure", "allow plain http to another machine")
        .option("--list", "list the profiles")
        .option("--json", "with --list: print JSON"),
    callsService: false,
    notes:
      "The token is stored in a file that only you can read: $XDG_CONFIG_HOME/dejavu/config.json, or ~/.config/dejavu/config.json.",
    examples: [
      "dejavu login --url https://dejavu.example.workers.dev",
      "dejavu login --url https://dejavu.example.workers.dev --profile work --token-stdin < token.txt",
      "dejavu login --name dana",
      "dejavu login --list",
    ],
    load: () => import("../commands/login.ts").then(({ login }) => login),
  });
  addCommand(parent, {
    usage: "logout [profile]",
    description: "delete a profile with its token: the default one, or one by name",
    callsService: false,
    notes: "The token stays valid for others who have it; revoke it with: dejavu tokens revoke <name>",
    examples: ["dejavu logout", "dejavu logout work"],
    load: () => import("../commands/login.ts").then(({ logout }) => logout),
  });
  addCommand(parent, {
    usage: "console",
    description: "print a link that signs in to the console once",
    define: (command) => command.option("--open", "open it in a browser"),
    notes:
      "The session has the scopes and domains of your token, and ends with it. It records in the name of `dejavu login --name`.",
    examples: ["dejavu console", "dejavu console --open --profile work"],
    load: () => import("../commands/open.ts").then(({ printLink }) => printLink),
  });
  addCommand(parent, {
    usage: "open",
    description: "open the page of the service in a browser, or print its address",
    examples: ["dejavu open", "dejavu open --profile work"],
    load: () => import("../commands/open.ts").then(({ open }) => open),
  });
  const mcp = addCommand(parent, {
    usage: "mcp",
    description: "serve an agent on standard input and output (Model Context Protocol)",
    notes:
      "For clients that start a program. It passes each message to /mcp of the service, with your token. Clients that speak HTTP need no bridge.",
    examples: ["dejavu mcp", "dejavu mcp --profile work"],
    load: () => import("../commands/mcp.ts").then(({ bridge }) => bridge),
  });
  addCommand<McpAddOptions>(mcp, {
    usage: "add",
    description: "add it to the configuration of a client, beside its other entries",
    define: (command) =>
      command
        .addArgument(
          new Argument("<client>", "whose configuration").choices(["claude", "claude-desktop", "cursor", "vscode"]),
        )
        .option("--name <name>", 'name of the entry; "dejavu" by default')
        .option("--dry-run", "print what would be written"),
    notes:
      "claude writes .mcp.json and vscode .vscode/mcp.json in this folder; cursor and claude-desktop write files of the user. The entry starts this command and holds no token.",
    examples: ["dejavu mcp add cursor", "dejavu mcp add vscode --profile work --dry-run"],
    load: () => import("../commands/mcp-add.ts").then(({ addToClient }) => addToClient),
  });
}
