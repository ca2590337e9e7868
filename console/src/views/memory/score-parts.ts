// The parts of a score in plain words. Pure functions.

export interface ScorePart {
  readonly name: string;
  readonly value: string;
  /** What the value means. */
  readonly meaning: string;
}

interface IncidentScore {
  readonly probability: number;
  readonly ranking: { readonly quality: number; readonly adjust: number; readonly decay: number };
}

/** The factors of a past incident's score: their product is the score. */
export function incidentParts({ probability, ranking }: IncidentScore): ScorePart[] {
  const likeness = {
    name: "Same failure",
    value: probability.toFixed(2),
    meaning: "probability that it is the failure of the query",
  };
  const { quality, adjust, decay } = ranking;
  return [
    likeness,
    {
      name: "Quality",
      value: `× ${(0.7 + 0.3 * quality).toFixed(2)}`,
      meaning: "0.70 to 1.00, by the confidence of its investigation",
    },
    { name: "Review", value: `× ${adjust.toFixed(2)}`, meaning: reviewMeaning(adjust) },
    { name: "Age", value: `× ${decay.toFixed(2)}`, meaning: "1.00 for today, less the longer ago it was seen last" },
  ];
}

function reviewMeaning(adjust: number): string {
  if (adjust === 1) return "no review, and nobody reported whether the answer worked";
  return adjust > 1
    ? "a person reviewed it well, or its answer worked"
    : "a person reviewed it badly, or its answer did not work";
}

interface AnswerRanking {
  readonly cosine: number;
  readonly rating: number;
  readonly session: number;
  readonly decay: number;
}

/** The parts of a past answer's score: (nearness + rating + session) × age. */
export function answerParts({ cosine, rating, session, decay }: AnswerRanking): ScorePart[] {
  return [
    { name: "Nearness", value: cosine.toFixed(2), meaning: "how near the question is in meaning, at most 1.00" },
    {
      name: "Rating",
      value: signed(rating),
      meaning: rating === 0 ? "nobody rated it" : "thumbs up and down, at most 0.10 each way",
    },
    {
      name: "Session",
      value: signed(session),
      meaning: session === 0 ? "of another session" : "of the same session",
    },
    { name: "Age", value: `× ${decay.toFixed(2)}`, meaning: "1.00 for today, less the older it is" },
  ];
}

/** `+0.12`, `−0.30` */
export function signed(value: number): string {
  return `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`;
}

/** What the features of the probability compare. The model has several for one comparison: their contributions are added. */
const COMPARISONS: readonly { readonly name: string; readonly features: RegExp }[] = [
  { name: "words in common", features: /^(?:words|headline)(?:_(?!elsewhere)|$)/ },
  { name: "what goes wrong in both", features: /mechanism/ },
  { name: "error lines in common", features: /lines|^log_words/ },
  { name: "exit and error codes", features: /^codes$|^other_exit$/ },
  { name: "alert", features: /_alert$/ },
  { name: "the same service", features: /_target$/ },
  { name: "only a headline, of another service", features: /^headline_elsewhere$/ },
  { name: "incident type", features: /_type$/ },
  { name: "kind of object", features: /_kind$/ },
  { name: "labels in common", features: /^labels$/ },
  { name: "nearness in meaning", features: /^nearness$/ },
  { name: "place among the hits", features: /^similarity|^rank$/ },
  { name: "the report repeats it word for word", features: /^repeat$/ },
  { name: "only single words in common", features: /^words_only$/ },
  { name: "how rarely a record matches at all", features: /^bias$/ },
  { name: "limit at 1 % and 99 %", features: /^bound$/ },
];

export interface Contribution {
  readonly name: string;
  /** To the log-odds: positive raises the probability. */
  readonly value: number;
}

/** Strongest first; without those that change nothing. */
export function contributionsOf(contributions: Readonly<Record<string, number>>): Contribution[] {
  const sums = new Map<string, number>();
  for (const [feature, value] of Object.entries(contributions)) {
    const name = COMPARISONS.find(({ features }) => features.test(feature))?.name ?? feature.replaceAll("_", " ");
    sums.set(name, (sums.get(name) ?? 0) + value);
  }
  return [...sums]
    .map(([name, value]) => ({ name, value }))
    .filter(({ value }) => Math.abs(value) >= 0.05)
    .sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
}
