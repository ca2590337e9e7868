// Span attributes with the names of OpenInference and of OpenTelemetry's GenAI conventions, which trace viewers know. Pure
// functions.

import type { SemanticConventions as Conventions } from "@arizeai/openinference-semantic-conventions";

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

/** The used names alone: the package's object has 10 KB. The compiler holds each to it. */
export const SemanticConventions = {
  DOCUMENT_CONTENT: "document.content",
  DOCUMENT_ID: "document.id",
  DOCUMENT_METADATA: "document.metadata",
  DOCUMENT_SCORE: "document.score",
  EMBEDDING_EMBEDDINGS: "embedding.embeddings",
  EMBEDDING_MODEL_NAME: "embedding.model_name",
  EMBEDDING_TEXT: "embedding.text",
  INPUT_MIME_TYPE: "input.mime_type",
  INPUT_VALUE: "input.value",
  LLM_COST_TOTAL: "llm.cost.total",
  LLM_INPUT_MESSAGES: "llm.input_messages",
  LLM_INVOCATION_PARAMETERS: "llm.invocation_parameters",
  LLM_MODEL_NAME: "llm.model_name",
  LLM_OUTPUT_MESSAGES: "llm.output_messages",
  LLM_PROVIDER: "llm.provider",
  LLM_SYSTEM: "llm.system",
  LLM_TOKEN_COUNT_COMPLETION: "llm.token_count.completion",
  LLM_TOKEN_COUNT_PROMPT: "llm.token_count.prompt",
  LLM_TOKEN_COUNT_PROMPT_DETAILS_CACHE_READ: "llm.token_count.prompt_details.cache_read",
  LLM_TOKEN_COUNT_TOTAL: "llm.token_count.total",
  MESSAGE_CONTENT: "message.content",
  MESSAGE_ROLE: "message.role",
  METADATA: "metadata",
  OPENINFERENCE_SPAN_KIND: "openinference.span.kind",
  OUTPUT_MIME_TYPE: "output.mime_type",
  OUTPUT_VALUE: "output.value",
  PROMPT_TEMPLATE_VERSION: "llm.prompt_template.version",
  RERANKER_INPUT_DOCUMENTS: "reranker.input_documents",
  RERANKER_MODEL_NAME: "reranker.model_name",
  RERANKER_OUTPUT_DOCUMENTS: "reranker.output_documents",
  RERANKER_QUERY: "reranker.query",
  RERANKER_TOP_K: "reranker.top_k",
  RETRIEVAL_DOCUMENTS: "retrieval.documents",
  SESSION_ID: "session.id",
  TAG_TAGS: "tag.tags",
} as const satisfies Partial<typeof Conventions>;
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
