// Turns a text from the API into search documents: scrubs it as a whole, then chunks it by its kind. Pure functions.

import { createHash } from "node:crypto";
import { neutraliseInjections } from "../../lib/injection/detect-injection.ts";
import { chunkLog } from "../../lib/markdown/chunk-log.ts";
import { type ChunkOptions, chunkMarkdown } from "../../lib/markdown/chunk-markdown.ts";
import { chunkPlainText } from "../../lib/markdown/chunk-plain-text.ts";
import { splitFrontMatter } from "../../lib/markdown/front-matter.ts";
import { topicsOf } from "../../lib/markdown/topics.ts";
import { type Redact, redact } from "../../lib/redaction/redact.ts";
import { plainText } from "../../lib/text/plain-text.ts";
import type { TextKind } from "../schemas/text-kind.ts";
import { TEXT_KINDS } from "../schemas/text-kind.ts";
import type { SearchDocument } from "../search-index/search-document.ts";

export interface NamedText {
  /** The permanent name of the text: the ids of its chunks are derived from it. */
  readonly source: string;
  readonly domain: string;
  readonly kind: TextKind;
  readonly text: string;
  readonly tags: readonly string[];
  /** Date or time when it was written, ISO 8601; the time when it is stored by default. Its age counts from here. */
  readonly date?: string | undefined;
  /** Whether it is Markdown; determined from name and text by default. */
  readonly isMarkdown?: boolean | undefined;
}

export interface TextChunks {
  readonly title: string;
  /** The given tags and those of a runbook's front matter, scrubbed. */
  readonly tags: readonly string[];
  /** The whole text, scrubbed. */
  readonly text: string;
  readonly documents: readonly SearchDocument[];
}

interface Piece {
  readonly title: string;
  readonly headingPath: readonly string[];
  readonly body: string;
}

/** Chunks of one text. Each is embedded and indexed, and a text of 512 KB in chunks of the usual size has about 250. */
export const MAX_CHUNKS = 2_000;

const HEADINGS = /^(#{1,6})[ \t]+\S/gm;
const FENCE = /^ {0,3}(?:```|~~~)/m;
const LIST = /^(?:[-*+]|\d{1,3}[.)])[ \t]+\S/m;
const LINK = /\[[^\]\n]{1,200}\]\([^)\s]{1,500}\)/;
const SCRIPT = /^\s*#!/;
const TITLE_LENGTH = 120;

export interface TextOptions {
  readonly redact: Redact;
  readonly chunking: ChunkOptions;
  readonly now: Date;
}

/** Returns no documents for a text without content. */
export function textDocuments(
  { source, domain, kind, text, tags, date, isMarkdown }: NamedText,
  { redact, chunking, now }: TextOptions,
): TextChunks {
  // Scrubs before chunking: a secret on the edge of two chunks would be whole in neither.
  const scrubbed = redact(kind === "runbook" ? text : neutraliseInjections(plainText(text)).text).text;
  const front = kind === "runbook" ? splitFrontMatter(scrubbed) : undefined;
  const body = front?.markdown ?? scrubbed;
  const pieces =
    kind === "log"
      ? logPieces(source, body, chunking)
      : (isMarkdown ?? looksLikeMarkdown(source, kind, body))
        ? chunkMarkdown(body, fallbackTitle(source), chunking)
        : plainPieces(source, body, chunking);
  const allTags = [...new Set([...tags, ...(front?.tags ?? [])].map((tag) => redact(tag).text))];
  const metadata = {
    ...(front?.incidentType !== undefined ? { incident_type: front.incidentType } : {}),
    ...(allTags.length > 0 ? { tags: allTags.join(",") } : {}),
    ...(date !== undefined ? { date } : {}),
    kind,
    domain,
  };
  return {
    title: pieces[0]?.title ?? fallbackTitle(source),
    tags: allTags,
    text: scrubbed,
    documents: documentsOf(source, pieces, metadata, date === undefined ? now : new Date(date)),
  };
}

/** The chunks of a text as documents, each with its topic if the text has several; a log has none. */
export function documentsOf(
  source: string,
  pieces: readonly Pick<SearchDocument, "title" | "headingPath" | "body">[],
  metadata: SearchDocument["metadata"],
  writtenAt: Date,
): SearchDocument[] {
  const topics = metadata.kind === "log" ? [] : topicsOf(pieces, pieces[0]?.title ?? "");
  return pieces.map(({ title, headingPath, body }, index) => {
    const topic = topics[index];
    const ofTopic = topic
      ? {
          topic: topic.anchor,
          topic_title: topic.title,
          topic_first: topics.findIndex((other) => other?.anchor === topic.anchor),
          topic_last: topics.findLastIndex((other) => other?.anchor === topic.anchor),
        }
      : {};
    return {
      id: chunkId(source, index),
      source,
      chunkIndex: index,
      title,
      headingPath,
      body,
      metadata: { ...metadata, ...ofTopic },
      writtenAt,
    };
  });
}

/** The kind of the text that a document belongs to; runbook by default. */
export function textKindOf({ metadata }: Pick<SearchDocument, "metadata">): TextKind {
  return TEXT_KINDS.find((kind) => kind === metadata.kind) ?? "runbook";
}

/** Whether a name contains nothing to scrub: a scrubbed name would name something else. */
export function hasNoSecrets(name: string): boolean {
  return redact(name).text === name;
}

export const SECRET_IN_NAME = "looks as if it held a secret or personal data";

/** First 16 hex digits of sha256("{source}::{index}"). */
export function chunkId(source: string, index: number): string {
  return hexOf(`${source}::${index}`);
}

/** The id of a source in paths, since its name may contain any character. */
export function textId(source: string): string {
  return hexOf(source);
}

function hexOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/**
 * A runbook or a postmortem with headings is Markdown. In a note, "# " may start a comment, so other Markdown is needed
 * too.
 */
function looksLikeMarkdown(source: string, kind: TextKind, text: string): boolean {
  if (/\.(?:md|markdown)$/i.test(source)) return true;
  const levels = new Set(Array.from(text.matchAll(HEADINGS), ([, marks]) => marks));
  if (levels.size === 0) return false;
  if (kind !== "note") return true;
  return !SCRIPT.test(text) && (levels.size > 1 || [FENCE, LIST, LINK].some((pattern) => pattern.test(text)));
}

const ENDING = /(?:\.html)?\.(?:md|mdx|markdown|txt|log)(?:\.erb)?$/i;
const INDEX = /^(?:_?index|readme)$/i;

/** The last segment of a name, without its extension; of `disk-full/index.md`, that of the folder. */
export function fallbackTitle(source: string): string {
  const [name = "", folder = ""] = source
    .replace(/(?<!\/)\/+$/, "")
    .split("/")
    .toReversed();
  const title = name.replace(ENDING, "");
  return (INDEX.test(title) ? folder : "") || title || source;
}

function logPieces(source: string, log: string, { size }: ChunkOptions): Piece[] {
  const title = fallbackTitle(source);
  return chunkLog(log, size).map(({ times, body }) => ({ title, headingPath: times === null ? [] : [times], body }));
}

/** The title is the first line if it is short, without number signs. */
function plainPieces(source: string, text: string, chunking: ChunkOptions): Piece[] {
  const [first = "", ...rest] = text.trim().split("\n");
  const isTitled = first.length <= TITLE_LENGTH && rest.some((line) => line.trim() !== "");
  const title = isTitled ? first.replace(/^#+\s+/, "").trim() : fallbackTitle(source);
  return chunkPlainText(text, chunking).map((body) => ({ title, headingPath: [], body }));
}
