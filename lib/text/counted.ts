/** `1 restart`, `7 restarts`. A pure function. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
