// The options of a choice. Pure.

/** Names that are their own texts. @param none the text of no choice */
export function namesOf(names: readonly string[], none?: string): Readonly<Record<string, string>> {
  return { ...(none === undefined ? {} : { "": none }), ...Object.fromEntries(names.map((name) => [name, name])) };
}
