// Headlines of alerts that name a symptom: many causes lead to it.

const SYMPTOM =
  /\bcrash(?:es|ed|ing)?\b|crash[- ]?loop|back-?off|\brestart(?:s|ed|ing)?\b|\b(?:not|un|non)[- ]?(?:ready|healthy|available|reachable|responding)\b|notready|\bdown\b|\bprobe\b|\bjob (?:has )?fail|\bfailed job|jobfail|mismatch|unavailable|\bstuck\b|\bpending\b|latency|\bslow\b|error rate|\b5xx\b|\bfail(?:s|ed|ing|ure)?\b|\bwrong\b|\bissue\b|\bproblem\b|\berrors?\b|\bwarning ?event|\btimeouts?\b|not working|\bwhy\b|\bdegraded\b/i;

/** Whether a headline names a symptom. Then the cause is in the evidence. */
export function isSymptomHeadline(headline: string): boolean {
  return (
    SYMPTOM.test(headline.slice(0, 400).replace(/(?<=[a-z])(?=[A-Z])/g, " ")) || SYMPTOM.test(headline.slice(0, 400))
  );
}
