// The person at the terminal, who answers what no option, file or variable says.

import { createInterface } from "node:readline/promises";
import { confirm, readSecret } from "../../../cli/service/confirm.ts";
import { type Finding, renderFinding } from "../finding.ts";

export interface Question {
  /** Without its mark at the end. */
  readonly text: string;
  /** Is not shown while it is typed. */
  readonly isSecret?: boolean;
  /** For an empty answer. */
  readonly fallback?: string | undefined;
}

export interface Person {
  answer(question: Question): Promise<string>;
  /** @throws Error if the answer is no */
  confirm(question: string): Promise<void>;
}

/** What a deployment says, and whom it may ask; null without a terminal. */
export interface Conversation {
  readonly print: (line: string) => void;
  readonly person: Person | null;
}

/** An expected failure: the message says what to do. */
export class DeployError extends Error {
  override readonly name = "DeployError";
}

/** @returns null if there is no terminal */
export function personAtTerminal(): Person | null {
  const { stdin, stderr } = process;
  if (!stdin.isTTY || !stderr.isTTY) return null;
  const streams = { stdin, stderr, interrupt: () => process.exit(130) };
  return {
    async answer({ text, isSecret, fallback }) {
      const question = `${text}${fallback === undefined ? "" : ` [${fallback}]`}: `;
      if (isSecret) return (await readSecret(streams, question)).trim() || (fallback ?? "");
      const terminal = createInterface({ input: stdin, output: stderr });
      terminal.on("SIGINT", streams.interrupt);
      try {
        return (await terminal.question(question)).trim() || (fallback ?? "");
      } finally {
        terminal.close();
      }
    },
    confirm: (question) => confirm(streams, question),
  };
}

const MAX_ATTEMPTS = 3;

/**
 * A value that passes its check: the preset, or else the person's answer. A person may correct it.
 * @param check the problem with a value, if there is one
 * @throws DeployError without a value, or with a wrong one that nobody corrects
 */
export async function obtain(
  {
    name,
    preset,
    question,
  }: { readonly name: string; readonly preset: string | undefined; readonly question: Question },
  { print, person }: Conversation,
  check: (value: string) => Promise<Finding | undefined>,
): Promise<string> {
  let value = preset;
  for (let attempt = 1; ; attempt++) {
    value ||= await person?.answer(question);
    if (!value) throw new DeployError(`${name} is missing. Set it in the environment, or in the file of the settings.`);
    const problem = await check(value);
    if (problem === undefined) return value;
    print(renderFinding(problem));
    if (person === null || attempt === MAX_ATTEMPTS)
      throw new DeployError(`${name} is not right. Nothing was changed.`);
    value = undefined;
  }
}
