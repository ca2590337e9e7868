// Span attributes with the names of OpenInference and of OpenTelemetry's GenAI conventions, which trace viewers know. Pure
// functions.

import { SemanticConventions } from "@arizeai/openinference-semantic-conventions";

export type AttributeValue = string | number | boolean | readonly string[];
/** Null and undefined values are left out. */
export type Attributes = Readonly<Record<string, AttributeValue | null | undefined>>;

export interface TracedDocument {
  readonly id: string;
  readonly content?: string;
  readonly score?: number;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface TracedMessage {
  readonly role: "system" | "user" | "assistant";
  readonly text: string;
}

/** Documents of one list that are recorded. */
const MAX_DOCUMENTS = 20;

const NAMES = SemanticConventions;

/** Always text: JSON that is cut is no longer valid. */
export function input(value: string): Attributes {
  return { [NAMES.INPUT_VALUE]: value, [NAMES.INPUT_MIME_TYPE]: "text/plain" };
}

export function output(value: string): Attributes {
  return { [NAMES.OUTPUT_VALUE]: value, [NAMES.OUTPUT_MIME_TYPE]: "text/plain" };
}

/** A list of documents, best first. */
export function documents(
  list: "RETRIEVAL_DOCUMENTS" | "RERANKER_INPUT_DOCUMENTS" | "RERANKER_OUTPUT_DOCUMENTS",
  items: readonly TracedDocument[],
): Attributes {
  const entries = items.slice(0, MAX_DOCUMENTS).flatMap(({ id, content, score, metadata }, i) => {
    const at = `${NAMES[list]}.${i}`;
    return [
      [`${at}.${NAMES.DOCUMENT_ID}`, id],
      [`${at}.${NAMES.DOCUMENT_CONTENT}`, content],
      [`${at}.${NAMES.DOCUMENT_SCORE}`, score],
      [`${at}.${NAMES.DOCUMENT_METADATA}`, metadata && JSON.stringify(metadata)],
    ] as const;
  });
  return Object.fromEntries(entries);
}

export function messages(
  list: "LLM_INPUT_MESSAGES" | "LLM_OUTPUT_MESSAGES",
  turns: readonly TracedMessage[],
): Attributes {
  const entries = turns.flatMap(({ role, text }, i) => {
    const at = `${NAMES[list]}.${i}`;
    return [
      [`${at}.${NAMES.MESSAGE_ROLE}`, role],
      [`${at}.${NAMES.MESSAGE_CONTENT}`, text],
    ] as const;
  });
  return Object.fromEntries(entries);
}

/** Who was asked for what, by OpenTelemetry's names: https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/ */
export function genAi(
  operation: "chat" | "embeddings",
  { provider, model }: { readonly provider?: string | undefined; readonly model: string },
): Attributes {
  return {
    "gen_ai.operation.name": operation,
    ...(provider !== undefined && { "gen_ai.provider.name": provider }),
    "gen_ai.request.model": model,
  };
}

/** The embedded text, without its vector. */
export function embedding(model: string, text: string): Attributes {
  return {
    ...genAi("embeddings", { model }),
    [NAMES.EMBEDDING_MODEL_NAME]: model,
    [`${NAMES.EMBEDDING_EMBEDDINGS}.0.${NAMES.EMBEDDING_TEXT}`]: text,
  };
}

/** `metadata` of a span: a JSON object of ids and figures that viewers can filter by. */
export function metadata(values: Readonly<Record<string, unknown>>): Attributes {
  return { [NAMES.METADATA]: JSON.stringify(values) };
}

export { SemanticConventions } from "@arizeai/openinference-semantic-conventions";
