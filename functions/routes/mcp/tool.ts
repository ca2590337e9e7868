// Owns what a tool is: what a model reads of it, who may call it, and how its arguments and its answer are checked.

import {
  type CallToolResult,
  type Tool as ListedTool,
  type ToolAnnotations,
  ToolSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import type { Caller, Scope } from "../../access/caller.ts";
import type { RunInBackground } from "../../background-tasks.ts";
import type { Services } from "../../services.ts";

/** What a tool knows of the call beside its arguments. */
export interface ToolCall {
  readonly services: Services;
  readonly caller: Caller;
  /** The conversation that the client keeps; undefined where he keeps none. */
  readonly sessionId: string | undefined;
  /** Fires when nobody waits any more. */
  readonly cancelled: AbortSignal;
  readonly runInBackground: RunInBackground;
  /** Tells the client what goes on; undefined where he did not ask for it. */
  readonly report: ((message: string) => void) | undefined;
}

/** What a tool says: in words and as data, or in words alone why it has nothing to say. */
export type Told<Data> =
  | { readonly isError: false; readonly text: string; readonly data: Data }
  | { readonly isError: true; readonly text: string };

export interface ToolSpec<Input extends z.ZodObject, Output extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /** When to use it, and what comes back; a model chooses by these words. */
  readonly description: string;
  readonly scope: Scope;
  readonly annotations: ToolAnnotations;
  readonly input: Input;
  readonly output: Output;
  run(input: z.output<Input>, call: ToolCall): Promise<Told<z.input<Output>>>;
}

export interface Tool {
  readonly name: string;
  readonly scope: Scope;
  list(): ListedTool;
  call(args: unknown, call: ToolCall): Promise<CallToolResult>;
}

export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(spec: ToolSpec<Input, Output>): Tool {
  const { name, title, description, scope, annotations, input, output } = spec;
  return {
    name,
    scope,
    list: () => ({
      name,
      title,
      description,
      inputSchema: objectSchema(input, "input"),
      outputSchema: objectSchema(output, "output"),
      annotations: { title, ...annotations },
    }),
    async call(args, call) {
      const parsed = input.safeParse(args ?? {});
      if (!parsed.success) return toolError(`${correctionOf(parsed.error)} Then call ${name} again.`);
      const told = await spec.run(parsed.data, call);
      if (told.isError) return toolError(told.text);
      // Leaves out what the schema does not name, and holds the rest to what was promised.
      return { content: [{ type: "text", text: told.text }], structuredContent: output.parse(told.data) };
    },
  };
}

/** An answer that a model can act on, where there is none. */
export function toolError(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

/** Draft 7, because the validators of today's clients know no later one. */
function objectSchema(schema: z.ZodObject, io: "input" | "output"): ListedTool["inputSchema"] {
  return ToolSchema.shape.inputSchema.parse(z.toJSONSchema(schema, { target: "draft-7", io }));
}

const MAX_FAULTS = 10;

function correctionOf({ issues }: z.ZodError): string {
  const faults = issues.slice(0, MAX_FAULTS).map((issue) => {
    if (issue.code === "unrecognized_keys") return `there is no argument ${issue.keys.slice(0, MAX_FAULTS).join(", ")}`;
    return `${issue.path.join(".") || "the arguments"}: ${issue.message}`;
  });
  return `The arguments are not valid: ${faults.join("; ")}.`;
}
