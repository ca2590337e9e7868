// Roles of runbook sections, by their headings: runbooks name the same section in many ways.

export type SectionRole = "symptoms" | "confirm" | "mitigate" | "causes" | "prevent";

// First match wins: "Root cause analysis" is `causes`, although "analysis" alone is `confirm`.
const ROLES: readonly (readonly [SectionRole, RegExp])[] = [
  ["causes", /\b(root )?causes?\b|\bwhy\b|\breasons?\b/i],
  ["prevent", /\bprevent|\bavoid|\blong[- ]term\b|\bfollow[- ]?up\b|\bhardening\b/i],
  [
    "mitigate",
    /\bmitigat|\bsolutions?\b|\bfix|\bremed|\bresol|\brecover|\bworkaround|\bstop the|\bactions?\b|\bemergency\b/i,
  ],
  ["confirm", /\bconfirm|\bdiagnos|\bverif|\binvestigat|\bcheck|\btroubleshoot|\btriage\b|\banalysis\b/i],
  ["symptoms", /\bsymptom|\bmeaning\b|\bimpact\b|\boverview\b|\bdescription\b|\bsigns?\b|^problem(?: statement)?$/i],
];

/** Says when the steps below it apply, in the words of another section: "1. If the check shows errors". */
const CONDITION = /^(?:\d{1,3}[.)]\s{0,3})?(?:if|when|once)\b/i;

/** Returns the role of the innermost heading that has one; undefined when none has. */
export function sectionRole(headingPath: readonly string[]): SectionRole | undefined {
  for (const heading of headingPath.toReversed()) {
    if (CONDITION.test(heading)) continue;
    const role = ROLES.find(([, pattern]) => pattern.test(heading));
    if (role) return role[0];
  }
  return undefined;
}
