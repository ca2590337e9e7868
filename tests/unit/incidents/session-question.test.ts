import { describe, expect, it } from "vitest";
import { asksAboutSession, isSessionQuestion } from "../../../functions/incidents/session-question.ts";

const QUESTIONS = [
  "What did we find?",
  "what have we found so far",
  "What was the outcome?",
  "summarise this session",
  "recap",
  "What did we rule out?",
  "Can you summarize the conversation so far?",
  "What's been ruled out already?",
  "Which causes have we excluded?",
  "Where are we?",
  "where do we stand with this?",
  "What do we know so far?",
  "catch me up please",
  "tl;dr",
  "Give me a summary of the findings",
  "Tell me what you found",
  "What was concluded?",
  "So, what did you find out?",
  "Remind me what we discussed earlier",
  "what have you tried so far?",
  "Did we find the cause?",
  "what errors did we see?",
  "Sum it up",
  "What were the results?",
  "What did we do?",
  "show me the history of this session",
  "Please recap our investigation in 3 bullet points",
  "what has been checked?",
  "what was decided",
  "what did we look at",
  "Where did we leave off?",
  "What happened in this session so far?",
  "Session summary",
  "and what did we learn?",
  "What’ve we found?",
];

const FAILURES = [
  "What did we find in checkout-api?",
  "Why is the pod crashing?",
  "no results found",
  "Session not found",
  "session expired",
  "what should we check next?",
  "what can you find about OOM",
  "Summary: disk full on db-1",
  "what happened?",
  "What went wrong?",
  "Not found",
  "we found a memory leak",
  "found",
  "it is down",
  "What is a session?",
  "Why did it fail?",
  "What was the cause of the OOM?",
  "error",
  "Unknown error",
  "KubePodCrashLooping",
  "502 bad gateway",
  "is it down?",
  "How do we fix it?",
  "What fixed it last time?",
  "not ready",
  "Request timed out",
  "connection refused",
  "status 500",
  "investigate",
  "check failed",
  "no logs",
  "what do we do?",
  "logs missing",
  "we lost the session",
  "The last line of the log",
  "has it failed before?",
  "how was it fixed?",
  "we have an error",
  "We did not get any logs",
  "I see errors",
  "result not found",
  "thread stopped",
  "Chat is down",
  "history",
  "triage",
  "we see errors since 3 hours, what was it?",
  "What does this error mean?",
  "How can I see the logs?",
  "we checked the logs",
  "thread 12 stopped",
  "is the chat down?",
  "why is chat not up?",
  "the result is wrong",
  "why was the alert wrong?",
];

describe("a question about the session", () => {
  it.each(QUESTIONS)("is %s", (text) => expect(asksAboutSession(text)).toBe(true));

  it.each(FAILURES)("is not %s", (text) => expect(asksAboutSession(text)).toBe(false));

  it("may be the title, the question or both", () => {
    const report = { title: "What did we find?", question: null, target: null, labels: {}, logs: null };
    expect(isSessionQuestion(report)).toBe(true);
    expect(isSessionQuestion({ ...report, question: "What did we find?" })).toBe(true);
    expect(isSessionQuestion({ ...report, question: "What did we rule out?" })).toBe(true);
    expect(isSessionQuestion({ ...report, title: "The checkout is slow", question: "What did we find?" })).toBe(false);
  });

  it.each([{ target: "checkout" }, { logs: "ERROR: disk full" }, { labels: { alertname: "DiskFull" } }])(
    "has neither target, labels nor logs: %j",
    (changes) => {
      const report = { title: "What did we find?", question: null, target: null, labels: {}, logs: null };
      expect(isSessionQuestion({ ...report, ...changes })).toBe(false);
    },
  );

  it("takes linear time for a text of any length", () => {
    expect(asksAboutSession("what did we ".repeat(100_000))).toBe(false);
    expect(asksAboutSession("")).toBe(false);
  });
});
