// The functions that read foreign text, each with the text in the place where a caller controls it.

import { prose } from "../../functions/adapters/block-kit.ts";
import { placeholdersIn } from "../../functions/answer-view/placeholders.ts";
import { createGuard } from "../../functions/incidents/guard-request.ts";
import { readReport } from "../../functions/incidents/read-report.ts";
import { asksAboutSession } from "../../functions/incidents/session-question.ts";
import { standsInText } from "../../functions/investigation/evidence/command-text.ts";
import { runbookNames } from "../../functions/knowledge/attached-runbook.ts";
import { benignReason } from "../../functions/knowledge/domains/benign-alerts.ts";
import { wordsOf } from "../../functions/knowledge/domains/hint-index.ts";
import { textDocuments } from "../../functions/knowledge/text-documents.ts";
import { readSignature } from "../../functions/memory/read-signature.ts";
import { readSlackText } from "../../functions/routes/slack/incoming-text.ts";
import { parseChecks } from "../../lib/checks/parse-checks.ts";
import { commandEffect } from "../../lib/commands/command-effect.ts";
import { stepEffect } from "../../lib/commands/step-effect.ts";
import { detectInjection, neutraliseInjections } from "../../lib/injection/detect-injection.ts";
import { removeLinks, urlsIn } from "../../lib/links/remove-links.ts";
import { findHeadline } from "../../lib/logs/find-headline.ts";
import { fitLog } from "../../lib/logs/fit-log.ts";
import { readEvidence } from "../../lib/logs/read-evidence.ts";
import { trimLog } from "../../lib/logs/trim-log.ts";
import { parseRunbookItems } from "../../lib/markdown/runbook-items.ts";
import { readMechanisms } from "../../lib/mechanisms/read-mechanisms.ts";
import { redact } from "../../lib/redaction/redact.ts";
import { withoutMarkers } from "../../lib/redaction/redaction-marker.ts";
import { highlight } from "../../lib/text/highlight.ts";
import { plainText } from "../../lib/text/plain-text.ts";
import { withoutQuotedSentences } from "../../lib/text/quoted-sentences.ts";
import { tokenize } from "../../lib/text/tokenize.ts";

const guard = createGuard(redact);

const NOBODY = { hosts: new Set<string>(), urls: new Set<string>() };
const UNREPORTED = { names: [], includes: () => false };
const CHUNKING = { redact, chunking: { size: 400, overlap: 50 }, now: new Date(0) };

const ingest = (kind: "runbook" | "note" | "log", isMarkdown: boolean) => (text: string) =>
  textDocuments({ source: "a/b.md", domain: "a", kind, text, tags: [], isMarkdown }, CHUNKING);

export const PARSERS: Readonly<Record<string, (text: string) => unknown>> = {
  redact,
  "detect injection": detectInjection,
  "neutralise injections": neutraliseInjections,
  "remove links": (text) => removeLinks(text, NOBODY),
  "urls in": urlsIn,
  "guard: title and logs": (text) => guard.request({ title: text.slice(0, 1_000), logs: text }),
  "guard: labels": (text) => guard.request({ title: "a", labels: { a: text } }),
  "read report": (text) => readReport(text),
  "find headline": findHeadline,
  "read evidence": (text) => readEvidence({ headline: "a fails", logs: text, target: null, labels: {} }),
  "read evidence: headline": (text) => readEvidence({ headline: text, logs: null, target: text, labels: { a: text } }),
  "read signature": (text) =>
    readSignature({
      title: text.slice(0, 1_000),
      question: null,
      target: null,
      labels: { alertname: "a", a: text.slice(0, 1_024) },
      logs: text,
      evidence: readEvidence({ headline: "a fails", logs: text, target: null, labels: {} }),
    }),
  "read mechanisms": readMechanisms,
  "session question": asksAboutSession,
  "benign alert": (text) => benignReason(text, {}),
  "hint words": wordsOf,
  "runbook names": runbookNames,
  "ingest: runbook": ingest("runbook", true),
  "ingest: plain runbook": ingest("runbook", false),
  "ingest: note": ingest("note", true),
  "ingest: log": ingest("log", false),
  "runbook items": parseRunbookItems,
  "evidence checks": parseChecks,
  "command effect": commandEffect,
  "step effect": (text) => stepEffect({ text, command: null }),
  "command in source": (text) => standsInText("kubectl get pod a", [{ text, names: [] }], UNREPORTED),
  "command of the model": (text) => standsInText(text, [{ text: "kubectl get pod a", names: [] }], UNREPORTED),
  "plain text": plainText,
  "without markers": withoutMarkers,
  tokenize,
  highlight: (text) => highlight(text, { query: "error a b", keyword: "a" }),
  "quoted sentences": (text) => withoutQuotedSentences(text, [text]),
  "fit log": (text) => fitLog(text, 20_000),
  "trim log": (text) => trimLog(text, 8_000),
  "slack text": readSlackText,
  "slack prose": (text) => prose(text, 3_000),
  placeholders: placeholdersIn,
};
