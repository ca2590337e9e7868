// The verified answer as the critique prompt shows it: with names of sources (R1, I1) instead of their ids.

import type { Answer } from "../../schemas/answer.ts";
import type { CitableText } from "../evidence/citable-texts.ts";
import { tagged } from "./data-block.ts";

export function answerBlock(outcome: string, answer: Answer, texts: readonly CitableText[]): string {
  const names = new Map(texts.map(({ name, document }) => [document.id, name]));
  const shown = JSON.stringify({ outcome, ...answer }, (key, value: unknown) =>
    key === "citations" && Array.isArray(value) ? value.map((id) => names.get(String(id)) ?? id) : value,
  );
  return tagged("answer", shown);
}
