// The commands of `dejavu`, with their options, help and completion.

import { Command } from "commander";
import packageJson from "../../package.json" with { type: "json" };
import { complete } from "../completion/complete.ts";
import { completionScript, SHELLS } from "../completion/scripts.ts";
import type { Streams } from "../service/invocation.ts";
import { addAccessCommands } from "./access-commands.ts";
import { addCommand, type Checkout, helpWidth, type Parent, usageHint, wrapHelp } from "./command-builder.ts";
import { addIncidentCommands } from "./incident-commands.ts";
import { addKnowledgeCommands } from "./knowledge-commands.ts";
import { addMemoryCommands } from "./memory-commands.ts";
import { addMuteCommands } from "./mute-commands.ts";
import { addNotifyCommands, addSlackCommands } from "./notify-commands.ts";
import { addOperationCommands } from "./operation-commands.ts";
import { addSourceCommands } from "./source-commands.ts";
import { addStoreCommands } from "./store-commands.ts";

const AFTER_HELP = `
Which service: --url, --profile, DEJAVU_URL with DEJAVU_TOKEN, the default profile of "dejavu login", or the local stack of this checkout, in this order. <id> is an id, its first 4 or more characters, or "last": what you triaged within the hour, otherwise the newest incident.

Exit codes: 0 done; 1 failed; 2 wrong usage; 3 not found; 4 not signed in or not allowed; 130 stopped by Ctrl-C.

Examples:
  $ dejavu triage "pod stuck in CrashLoopBackOff" --target checkout
  $ kubectl describe pod checkout-7d9f | dejavu triage
  $ dejavu resolve last "Raised the memory limit to 1 GiB"
  $ dejavu triage --help`;

export interface ProgramOptions extends Omit<Parent, "command">, Pick<Streams, "stdout" | "stderr"> {
  readonly checkout: () => Promise<Checkout>;
}

/** Writes usage errors to standard error and throws a CommanderError; the caller sets the exit code. */
export function createProgram({ checkout, stdout, stderr, ...options }: ProgramOptions): Command {
  const program = new Command("dejavu")
    .description("Triages incidents and remembers what fixed them.")
    .version(packageJson.version, "--version", "print the version")
    .option("--no-color", "print without colours; as NO_COLOR")
    .helpOption("-h, --help", "print this")
    .helpCommand("help [command]", "print the help of a command")
    .exitOverride()
    .configureHelp({ helpWidth: helpWidth(stdout) })
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
    })
    .allowExcessArguments(false)
    .addHelpText("after", ({ command }) => wrapHelp(command, AFTER_HELP));
  const parent: Parent = { ...options, command: program };
  program.showHelpAfterError(usageHint(program));
  program.commandsGroup("Incidents:");
  addIncidentCommands(parent);
  program.commandsGroup("Runbooks and domains:");
  addKnowledgeCommands(parent);
  program.commandsGroup("Memory:");
  addMemoryCommands(parent);
  program.commandsGroup("Operation:");
  addSourceCommands(parent);
  addNotifyCommands(parent);
  addSlackCommands(parent);
  addMuteCommands(parent);
  addOperationCommands(parent, checkout);
  program.commandsGroup("Stores:");
  addStoreCommands(parent, checkout);
  program.commandsGroup("This command line:");
  addAccessCommands(parent);
  addCompletion(parent);
  return program;
}

/** `dejavu completion <shell>` prints the script, which calls the hidden `dejavu complete`. */
function addCompletion(parent: Parent): void {
  addCommand(parent, {
    usage: "completion <shell>",
    description: "print the completion script of bash, zsh or fish",
    define: (command) => {
      command.registeredArguments[0]?.choices(SHELLS);
      return command;
    },
    callsService: false,
    notes: 'Put one of these into the start file of your shell. "dejavu" must be a command there.',
    examples: [
      "source <(dejavu completion bash)        # ~/.bashrc",
      "source <(dejavu completion zsh)         # ~/.zshrc, after compinit",
      "dejavu completion fish | source         # ~/.config/fish/config.fish",
    ],
    load:
      async () =>
      async ({ args, cli }) =>
        cli.print(completionScript(args[0] ?? "") ?? ""),
  });
  addCommand(parent, {
    usage: "complete [words...]",
    description: "complete a command line; the last word is at the cursor",
    isHidden: true,
    callsService: false,
    examples: ["dejavu complete -- runbooks a"],
    load:
      async () =>
      async ({ args, cli }) => {
        const { suggestionsFor } = await import("../completion/suggestions.ts");
        const lines = complete(parent.command, args, (place) => suggestionsFor(place, cli.env)).map(
          ({ value, description }) => `${value}\t${description}`,
        );
        if (lines.length > 0) cli.print(lines.join("\n"));
      },
  });
}
