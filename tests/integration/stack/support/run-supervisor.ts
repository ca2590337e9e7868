// Runs supervisor.ts in a process group of its own, as a terminal does.

import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { z } from "zod";
import type { StackOptions } from "../../../../dev/stack/stack.ts";
import { stackInfoSchema } from "../../../../dev/stack/stack-info.ts";

const messageSchema = z.looseObject({
  type: z.string(),
  step: z.string().optional(),
  state: z.string().optional(),
  message: z.string().optional(),
  info: stackInfoSchema.optional(),
});

type Message = z.infer<typeof messageSchema>;

export interface Supervisor {
  pid: number;
  messages: readonly Message[];
  /** The first matching message, earlier or later. */
  waitFor(matches: (message: Message) => boolean): Promise<Message>;
  /** Sends the signal to the whole process group, as Ctrl-C does. */
  signalGroup(signal: NodeJS.Signals): void;
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

export interface SupervisorOptions {
  /** Folder for data and temporary files. Every process of the stack refers to it. */
  scratch: string;
  options: Omit<StackOptions, "onProgress" | "signal">;
  afterwards?: "stay" | "crash" | "exit";
  entry?: string;
  /** Added to its variables. */
  env?: Record<string, string>;
  /** A command that runs the command in its further arguments, in the same process. */
  wrapper?: readonly string[];
  user?: { readonly uid: number; readonly gid: number };
}

const ENTRY = fileURLToPath(new URL("./supervisor.ts", import.meta.url));

export function runSupervisor(settings: SupervisorOptions): Supervisor {
  const { scratch, options, afterwards = "stay", entry = ENTRY, env, wrapper = [], user } = settings;
  const [command = process.execPath, ...args] = [
    ...wrapper,
    process.execPath,
    entry,
    JSON.stringify(options),
    afterwards,
  ];
  const child = spawn(command, args, {
    detached: true,
    env: { PATH: process.env.PATH, TMPDIR: join(scratch, "tmp"), ...env },
    stdio: ["ignore", "pipe", "pipe"],
    ...user,
  });
  let problems = "";
  child.stderr.on("data", (chunk: Buffer) => {
    problems += chunk.toString();
  });
  const { pid } = child;
  if (pid === undefined) throw new Error("The supervisor did not start.");
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
  const messages: Message[] = [];
  const waiting = new Set<() => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    messages.push(messageSchema.parse(JSON.parse(line)));
    for (const check of waiting) check();
  });
  return {
    pid,
    messages,
    exited,
    waitFor: (matches) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          const match = messages.find(matches);
          if (!match) return;
          waiting.delete(check);
          resolve(match);
        };
        waiting.add(check);
        void exited.then((exit) => reject(new Error(`The supervisor ended: ${JSON.stringify(exit)}. ${problems}`)));
        check();
      }),
    signalGroup: (signal) => process.kill(-pid, signal),
  };
}
