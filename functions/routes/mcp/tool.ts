// Defines tools: description, scope, and validation of arguments and results.

import {
  type CallToolResult,
  type Tool as ListedTool,
  type ToolAnnotations,
  ToolSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { mapStrings } from "../../../lib/text/display-text.ts";
import type { Caller, Scope } from "../../access/caller.ts";
import type { RunInBackground } from "../../background-tasks.ts";
import { agentText } from "../../incidents/agent-text.ts";
import type { Services } from "../../services.ts";
import { describeInvalidFields, invalidFields } from "../http/invalid-fields.ts";

/** Context of a tool call. */
export interface ToolCall {
  readonly services: Services;
  readonly caller: Caller;
  /** The client's session; undefined if the client keeps none. */
  readonly sessionId: string | undefined;
  /** Fires when the client disconnects or cancels. */
  /** The address of the console. */
  readonly origin: string;
  readonly cancelled: AbortSignal;
  readonly runInBackground: RunInBackground;
  /** Sends progress to the client; undefined if the client did not ask for it. */
  readonly report: ((message: string) => void) | undefined;
}

/** The result of a tool as text and as data, or the text of an error. */
export type ToolResult<Data> =
  | { readonly isError: false; readonly text: string; readonly data: Data }
  | { readonly isError: true; readonly text: string };

export interface ToolSpec<Input extends z.ZodObject, Output extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /** When to use the tool, and what it returns. A model chooses tools by this text. */
  readonly description: string;
  readonly scope: Scope;
  readonly annotations: ToolAnnotations;
  readonly input: Input;
  readonly output: Output;
  run(input: z.output<Input>, call: ToolCall): Promise<ToolResult<z.input<Output>>>;
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
      if (!parsed.success) {
        const faults = describeInvalidFields(invalidFields(parsed.error, "the list of arguments"));
        return toolError(`The arguments are not valid: ${faults} Correct them, then call ${name} again.`);
      }
      const result = await spec.run(parsed.data, call);
      if (result.isError) return toolError(result.text);
      // Removes fields that the schema lacks, and validates the others.
      const data = output.parse(mapStrings(result.data, agentText));
      return { content: [{ type: "text", text: agentText(result.text) }], structuredContent: data };
    },
  };
}

/** An error that a model can act on. */
export function toolError(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

/** Draft 7: the validators of current clients support no later draft. */
function objectSchema(schema: z.ZodObject, io: "input" | "output"): ListedTool["inputSchema"] {
  return ToolSchema.shape.inputSchema.parse(z.toJSONSchema(schema, { target: "draft-7", io }));
}
