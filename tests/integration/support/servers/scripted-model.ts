// A fake model for investigations. It recognises the step by the schema of the request and sends the reply of the test.

import type { Draft } from "../../../../functions/investigation/prompts/synthesise.ts";
import { type ModelCall, type ModelReply, type ModelServer, startModelServer, type Wire } from "./model-server.ts";

export type StepName = "classify" | "synthesise" | "critique" | "reflect" | "compress" | "summarise" | "postmortem";

type Reply = ModelReply | ((call: ModelCall, time: number) => ModelReply | Promise<ModelReply>);

export type Script = Partial<Record<StepName, Reply | readonly Reply[]>>;

export interface ScriptedModel extends ModelServer {
  /** The investigation steps that called the model, in order, without those that only word what is stored. */
  readonly steps: StepName[];
  /** The calls of a step, in order. */
  callsOf(step: StepName): ModelCall[];
  /** The prompts of a step, in order. */
  prompts(step: StepName): string[];
  /** Settings that make Dejavu use this server. */
  env(wire?: Wire): Record<string, string>;
}

export const json = (value: unknown): ModelReply => ({ kind: "json", value });

/** A correct draft for the container that was killed at its memory limit; `changes` replace whole fields. */
export function draftOf(changes: Partial<Draft> = {}): Draft {
  return {
    evidence: [
      {
        quote: "exited with code 137",
        citations: ["R1"],
        text: "The container got SIGKILL, which is what the kernel sends at the memory limit.",
      },
    ],
    outcome: "cause",
    hypotheses: [
      {
        citations: ["R1"],
        verdict: "kept",
        cause: "The container went over its memory limit.",
        reason: "Code 137 is SIGKILL.",
      },
      { citations: ["R2"], verdict: "rejected", cause: "Somebody stopped it.", reason: "No stop was reported." },
    ],
    summary: { citations: ["R1"], text: "The container was killed because it went over its memory limit." },
    confirm: [
      {
        citations: ["R1"],
        text: "Ask Docker whether the kernel killed it.",
        command: "docker inspect --format '{{.State.OOMKilled}} {{.State.ExitCode}} {{.State.FinishedAt}}' api-gateway",
      },
    ],
    mitigate: [
      {
        citations: ["R2"],
        text: "Give it more memory.",
        command: "docker update --memory 1g --memory-swap 1g api-gateway",
        effect: "changes_state",
        rollback: "Set the former limit again.",
      },
    ],
    worked_before: [],
    prevention: [{ citations: ["R1"], text: "Alert on memory at 80 % of the limit." }],
    look_next: [],
    ...changes,
  };
}

const DEFAULTS: Record<StepName, Reply> = {
  classify: json({ domain: "docker", incident_type: "oom_killed", search_query: "container killed memory limit" }),
  synthesise: json(draftOf()),
  critique: json({ feedback: "The evidence carries the cause.", score: 0.8 }),
  reflect: json({ ...draftOf(), changes: "Nothing had to be changed." }),
  compress: json({
    title: "api-gateway killed at its memory limit",
    narrative:
      "The exit code and the limit were looked at. The container was killed because it went over its memory limit.",
    facts: [
      "Exit code 137",
      "Target api-gateway",
      "SIGKILL by the kernel",
      "The limit was too low",
      "No other cause fits",
    ],
  }),
  postmortem: json({ summary: [], impact: [], cause: [] }),
  summarise: json({ summary: "Memory kills of the api-gateway were looked at; more memory helped." }),
};

const WORDING: ReadonlySet<StepName> = new Set(["compress", "summarise", "postmortem"]);

/** Starts the server. Replies in a list are sent in order; the last one repeats. */
export async function scriptedModel(script: Script = {}): Promise<ScriptedModel> {
  const steps: StepName[] = [];
  const callSteps: StepName[] = [];
  const server = await startModelServer((call) => {
    const step = stepOf(call);
    const time = callSteps.filter((name) => name === step).length;
    callSteps.push(step);
    if (!WORDING.has(step)) steps.push(step);
    const scripted = script[step] ?? DEFAULTS[step];
    const reply = Array.isArray(scripted)
      ? (scripted[Math.min(time, scripted.length - 1)] as Reply)
      : (scripted as Reply);
    return typeof reply === "function" ? reply(call, time) : reply;
  });
  const callsOf = (step: StepName) => server.calls.filter((_, i) => callSteps[i] === step);
  return {
    url: server.url,
    calls: server.calls,
    spans: server.spans,
    hung: server.hung,
    steps,
    callsOf,
    prompts: (step) => callsOf(step).map(({ messages }) => messages.map(({ text }) => text).join("\n")),
    env: (wire = "anthropic") =>
      wire === "anthropic"
        ? { MODEL: "anthropic:claude-haiku-4-5", ANTHROPIC_API_KEY: "a-key", ANTHROPIC_BASE_URL: `${server.url}/v1` }
        : { MODEL: "openai-compatible:local", MODEL_BASE_URL: `${server.url}/v1` },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function stepOf({ schema, system }: ModelCall): StepName {
  const shape = JSON.stringify(schema ?? system);
  if (shape.includes("search_query")) return "classify";
  if (shape.includes("narrative")) return "compress";
  if (shape.includes('"impact"')) return "postmortem";
  if (shape.includes('"summary"') && !shape.includes("hypotheses")) return "summarise";
  if (shape.includes('"changes"')) return "reflect";
  return shape.includes("hypotheses") ? "synthesise" : "critique";
}
