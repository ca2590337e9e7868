/** Runs supervisor.ts in a process group of its own, as a terminal would. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { type StackOptions, stackInfoSchema } from "../../../../dev/stack/index.ts";

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
  /** The first message that fits, past or to come. */
  waitFor(fits: (message: Message) => boolean): Promise<Message>;
  /** To the whole group, like Ctrl-C. */
  signalGroup(signal: NodeJS.Signals): void;
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

export interface SupervisorOptions {
  /** Holds data and temporary files; every process of the stack can be told by it. */
  scratch: string;
  options: Omit<StackOptions, "onProgress" | "signal">;
  afterwards?: "stay" | "crash" | "forget";
  entry?: string;
}

const ENTRY = fileURLToPath(new URL("./supervisor.ts", import.meta.url));

export function runSupervisor({ scratch, options, afterwards = "stay", entry = ENTRY }: SupervisorOptions): Supervisor {
  const child = spawn(process.execPath, [entry, JSON.stringify(options), afterwards], {
    detached: true,
    env: { PATH: process.env.PATH, TMPDIR: join(scratch, "tmp") },
    stdio: ["ignore", "pipe", "ignore"],
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
    for (const look of waiting) look();
  });
  return {
    pid,
    messages,
    exited,
    waitFor: (fits) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = messages.find(fits);
          if (!found) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        void exited.then((exit) => reject(new Error(`The supervisor ended: ${JSON.stringify(exit)}.`)));
        look();
      }),
    signalGroup: (signal) => process.kill(-pid, signal),
  };
}
