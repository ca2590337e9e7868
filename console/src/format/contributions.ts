// The parts of a probability in plain words. Pure functions.

/** What the features compare. Several for one comparison are added. */
const COMPARISONS: readonly { readonly name: string; readonly features: RegExp }[] = [
  // Of past incidents.
  { name: "words in common", features: /^(?:words|headline)(?:_(?!elsewhere|only)|$)/ },
  { name: "what goes wrong in both", features: /mechanism/ },
  { name: "error lines in common", features: /lines|^log_words|^contrast/ },
  { name: "alert", features: /_alert$/ },
  { name: "the same service", features: /_target$/ },
  { name: "only a headline, of another service", features: /^headline_elsewhere$/ },
  { name: "kind of object", features: /_kind$/ },
  { name: "labels in common", features: /^labels$/ },
  { name: "nearness in meaning", features: /^nearness$|^vector_spread$/ },
  { name: "limit at 1 % and 99 %", features: /^bound$/ },
  // Of texts.
  { name: "error lines", features: /^line_/ },
  { name: "words of the report", features: /coverage$|^word_pairs$|^proximity$|^sentence$/ },
  { name: "title", features: /^title_|^named_/ },
  { name: "distance from the next texts", features: /ahead$/ },
  { name: "place and score in the search", features: /^score$|^rank$|^similarity/ },
  // Of both.
  { name: "incident type", features: /_type$|^type$/ },
  { name: "the report repeats it word for word", features: /^repeat$/ },
  { name: "only the name in common, not the error lines", features: /^name_alone$/ },
  { name: "only single words in common", features: /^words_only$/ },
  { name: "how rarely a record matches at all", features: /^bias$/ },
];
/** Contributions below it change nothing. */
const MIN_VALUE = 0.05;

interface Contribution {
  readonly name: string;
  /** To the log-odds: positive raises the probability. */
  readonly value: number;
}

export function contributionsOf(contributions: Readonly<Record<string, number>>): Contribution[] {
  const named = Object.entries(contributions).map(([feature, value]) => ({
    name: COMPARISONS.find(({ features }) => features.test(feature))?.name ?? feature.replaceAll("_", " "),
    value,
  }));
  return [...Map.groupBy(named, ({ name }) => name)]
    .map(([name, parts]) => ({ name, value: parts.reduce((sum, { value }) => sum + value, 0) }))
    .filter(({ value }) => Math.abs(value) >= MIN_VALUE)
    .sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
}
