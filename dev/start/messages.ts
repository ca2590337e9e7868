/** What `npm start` says once it is done starting, or has failed to. Pure text. */
import { relative } from "node:path";
import pc from "picocolors";
import { StackError, type StackInfo } from "../stack/index.ts";

/** How to call a running stack. */
export function describeUse(info: StackInfo, logsDir: string): string {
  const body = `'{"title": "api-gateway container exited with code 137"}'`;
  return [
    "",
    `${pc.bold("Dejavu is ready")} at ${pc.cyan(info.urls.worker)}. Ask it from another terminal:`,
    "",
    `  npm run triage -- "pod stuck in CrashLoopBackOff"`,
    "",
    `  curl ${info.urls.worker}/v1/triage \\`,
    `    -H "authorization: Bearer ${info.token}" \\`,
    `    -H "content-type: application/json" \\`,
    `    -d ${body}`,
    "",
    ...(info.logs.collector === undefined
      ? []
      : [`How the newest answer came about, step by step: ${pc.cyan("npm run trace")}.`]),
    `The API is described at ${info.urls.worker}/docs; agents connect to ${info.urls.worker}/mcp with the same token.`,
    "",
    pc.dim(`Logs are in ${shorten(logsDir)}/. Ctrl-C stops everything.`),
    "",
  ].join("\n");
}

function shorten(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith("..") ? path : short;
}

/** A failed start in plain words, with the end of the log that says why. */
export function describeFailure(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const lines = [pc.red(message)];
  // The innermost log is the one of the tool that failed.
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at !== error && !(at instanceof StackError)) lines.push(pc.dim(`Because: ${at.message}`));
    if (at instanceof StackError && at.logPath) {
      lines.push("", at.logTail.replaceAll(/^/gm, "  "), "", `The whole log: ${at.logPath}`);
      break;
    }
  }
  return lines.join("\n");
}
