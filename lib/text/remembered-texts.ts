// Remembers what a pure function returned for the last texts: a triage reads each runbook several times, and the next triage
// often reads the same ones.

/** Longer texts are logs, which do not come again. */
const MAX_TEXT_LENGTH = 4_000;
/** Characters of the texts of a generation; two are kept. Their terms take about six times as much memory. */
const GENERATION_LENGTH = 400_000;

/** The function with a memory. Its results are shared: nobody may change them. */
export function rememberTexts<T>(read: (text: string) => T): (text: string) => T {
  let recent = new Map<string, T>();
  let older = new Map<string, T>();
  let length = 0;
  return (text) => {
    const remembered = recent.get(text);
    if (remembered !== undefined) return remembered;
    if (text.length > MAX_TEXT_LENGTH) return read(text);
    const result = older.get(text) ?? read(text);
    length += text.length;
    if (length > GENERATION_LENGTH) {
      older = recent;
      recent = new Map();
      length = text.length;
    }
    recent.set(text, result);
    return result;
  };
}
