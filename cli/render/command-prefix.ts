// The beginning of a command that people can copy, as they called the command line themselves.

/** `npm run dejavu --` in a clone, `npx dejavu` or `dejavu` elsewhere. @param environment as npm sets it for its scripts */
export function commandPrefix(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  const { npm_lifecycle_event: script, npm_package_name: project } = environment;
  if (script === "npx") return "npx dejavu";
  // A script of another project calls an installed command.
  return script !== undefined && project === "dejavu" ? "npm run dejavu --" : "dejavu";
}
