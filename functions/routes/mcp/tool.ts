// Defines tools: description, scope, and validation of arguments and results.

import type { CallToolResult, Tool as ListedTool, ResourceLink, ToolAnnotations } from "@modelcontextprotocol/server";
import { z } from "zod";
import { mapStrings } from "../../../lib/text/display-text.ts";
import type { Caller, Scope } from "../../access/caller.ts";
import type { RunInBackground } from "../../background-tasks.ts";
import { agentText } from "../../incidents/agent-text.ts";
import type { Services } from "../../services.ts";
import { describeInvalidFields, invalidFields } from "../http/invalid-fields.ts";
import { paragraphs } from "./text.ts";

/** Context of a tool call. */
export interface ToolCall {
  readonly services: Services;
  readonly caller: Caller;
  /** The client's session; undefined if the client keeps none. */
  readonly sessionId: string | undefined;
  /** The address of the console. */
  readonly origin: string;
  /** Fires when the client disconnects or cancels. */
  readonly cancelled: AbortSignal;
  readonly runInBackground: RunInBackground;
  /** Sends progress to the client; undefined if the client did not ask for it. */
  readonly report: ((message: string) => void) | undefined;
}

/** The result of a tool as text and as data, or the text of an error. */
export type ToolResult<Data> =
  | {
      readonly isError: false;
      /** What exceeds the size of an answer is cut off at a line. */
      readonly text: string;
      /** In place of a text that is too long. */
      readonly shorter?: string;
      /** The end of the text, which is never cut off. */
      readonly end?: string;
      /** Where the texts are that the answer is about, the most useful first. For callers that may read them. */
      readonly links?: readonly ResourceLink[];
      readonly data: Data;
    }
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
  /** As clients list it. The schema of the results is left out: it is as long as the rest, and no model needs it. */
  list(): ListedTool;
  resultSchema(): ListedTool["inputSchema"];
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
      annotations,
    }),
    resultSchema: () => objectSchema(output, "output"),
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
      const links = call.caller.scopes.includes("read") ? (result.links ?? []).map(agentLink) : [];
      const used = { content: [{ type: "text", text: "" }, ...links], structuredContent: data };
      const end = agentText(result.end ?? "");
      const { text: whole, shorter = whole } = result;
      const texts = { whole: agentText(whole), shorter: agentText(shorter) };
      const text = withinBytes(texts, MAX_ANSWER_BYTES - ENVELOPE_BYTES - bytesOf(used) - bytesOf(end), links[0]?.uri);
      return {
        content: [{ type: "text", text: paragraphs([text, end]) }, ...links],
        structuredContent: data,
      };
    },
  };
}

/** Of a whole answer as JSON. A model reads every answer again with each message of its conversation. */
export const MAX_ANSWER_BYTES = 4_000;
/** Of quotes and line breaks around the texts, and of the name of the server, which later clients get with each answer. */
const ENVELOPE_BYTES = 120;

/** The whole text if it fits, else as much of the shorter one as does, with a remark about the rest. No command is cut. */
function withinBytes(
  { whole, shorter }: { readonly whole: string; readonly shorter: string },
  bytes: number,
  uri: string | undefined,
): string {
  if (bytesOf(whole) <= bytes) return whole;
  const rest = uri === undefined ? "the console has the rest" : `read the resource ${uri} for the rest`;
  const remark = `[Shortened: ${rest}.]`;
  const kept: string[] = [];
  let free = bytes - bytesOf(remark);
  for (const line of shorter.split("\n")) {
    free -= bytesOf(line);
    if (free >= 0) kept.push(line);
    else {
      const isFence = (each: string) => each.trimStart().startsWith("```");
      if (kept.filter(isFence).length % 2 === 1) kept.length = kept.findLastIndex(isFence);
      else if (!isFence(line)) kept.push(beginningOf(line, free + bytesOf(line)));
      break;
    }
  }
  return paragraphs([kept.join("\n").trimEnd(), remark]);
}

/** Chinese and Japanese texts may be one long line. */
function beginningOf(line: string, bytes: number): string {
  let free = bytes - bytesOf("…");
  const characters: string[] = [];
  for (const character of line) {
    free -= bytesOf(character) - 2;
    if (free < 0) break;
    characters.push(character);
  }
  return characters.length === 0 ? "" : `${characters.join("")}…`;
}

/** In JSON. */
function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function agentLink(link: ResourceLink): ResourceLink {
  return { ...link, ...(link.title === undefined ? {} : { title: agentText(link.title) }) };
}

/** An error that a model can act on. */
export function toolError(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

/** Draft 7, which is valid in later drafts too, without its name: the validators of older clients support no later draft. */
function objectSchema(schema: z.ZodObject, io: "input" | "output"): ListedTool["inputSchema"] {
  const { $schema, ...rest } = z.toJSONSchema(schema, { target: "draft-7", io });
  return JSON.parse(JSON.stringify({ ...rest, type: "object" }));
}
