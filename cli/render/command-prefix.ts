// The beginning of a command that people can copy, as they called the command line themselves.

import type { Environment } from "../service/private-file.ts";

/** `npm run -s dejavu --` in a clone, `npx dejavu` or `dejavu` elsewhere. @param environment as npm sets it for its scripts */
export function commandPrefix(environment: Environment): string {
  const { npm_lifecycle_event: script, npm_package_name: project } = environment;
  if (script === "npx") return "npx dejavu";
  // A script of another project calls an installed command.
  return script !== undefined && project === "dejavu" ? "npm run -s dejavu --" : "dejavu";
}

/** The text with each `dejavu <command>` as people call it; names of the project and of paths stay. @param environment as for `commandPrefix` */
export function withCommandPrefix(text: string, environment: Environment): string {
  return text.replace(COMMAND, commandPrefix(environment));
}

/** At the beginning of a line, after a colon, a pipe or "see", in quotes or brackets. */
const COMMAND = /(?<=^ {0,16}|: |\| |\bsee |["`(])dejavu(?= [a-z<-])/gm;
