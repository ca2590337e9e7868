// Light stemmer for English words. A stronger stemmer conflates unrelated words and mangles the names of errors.

/**
 * Removes plural endings (Harman 1991, "How effective is suffixing?", the S-stemmer: first rule that applies), then
 * `-ing`, `-ed` and a silent `-e`, so that "restarts", "restarted" and "restarting" become one term.
 * @param word in lower case; a word with characters other than a to z loses only its plural ending
 */
export function stem(word: string): string {
  return withoutInflection(singular(word));
}

function singular(word: string): string {
  if (word.length < 4) return word;
  if (word.endsWith("ies") && !/[ae]ies$/.test(word)) return `${word.slice(0, -3)}y`;
  if (word.endsWith("es") && !/[aeo]es$/.test(word)) return word.slice(0, -1);
  if (word.endsWith("s") && !/[us]s$/.test(word)) return word.slice(0, -1);
  return word;
}

const ENGLISH = /^[a-z]+$/;
const VOWEL = /[aeiouy]/;
/**
 * stopp(ed), runn(ing); but not fill(ed), pass(ed) or add(ed), whose base form ends in a double letter. Four letters are
 * the minimum, so that "add" does not match.
 */
const DOUBLED = /..([^aeioulsz])\1$/;

/** tim(ed), sav(ing): the silent -e is restored, because `stem` leaves base forms of four letters, such as "time", whole. */
const SHORT_STEM = /^[^aeiouy][aeiouy][^aeiouywx]$/;

function withoutInflection(word: string): string {
  if (word.length < 5 || !ENGLISH.test(word)) return word;
  const bare = withoutEnding(word);
  if (bare !== word && DOUBLED.test(bare)) return bare.slice(0, -1);
  if (bare !== word && SHORT_STEM.test(bare)) return `${bare}e`;
  return bare.length > 4 && bare.endsWith("e") ? bare.slice(0, -1) : bare;
}

function withoutEnding(word: string): string {
  if (word.length >= 6 && word.endsWith("ing") && VOWEL.test(word.slice(0, -3))) return word.slice(0, -3);
  if (word.length >= 6 && word.endsWith("ied")) return `${word.slice(0, -3)}y`;
  if (word.endsWith("ed") && !word.endsWith("eed") && VOWEL.test(word.slice(0, -2))) return word.slice(0, -2);
  return word;
}
