// Progress on one line of a terminal; lines that end with a line break stay. Elsewhere only those are printed.

export function progress(text: string): void {
  if (process.stdout.isTTY) process.stdout.write(`\r\x1b[K${text}`);
  else if (text.endsWith("\n")) process.stdout.write(text);
}
