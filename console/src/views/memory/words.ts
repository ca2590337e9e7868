// Numbers in sentences. Pure functions.

/** `1 report`, `3 reports`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Names that people chose are whole; a generated id is its first eight characters. */
export function shortSession(id: string): string {
  return UUID.test(id) ? id.slice(0, 8) : id;
}
