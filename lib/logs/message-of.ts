// The message of an error line, without the columns around it.

const EVENT = /^(?:\S{1,253}\s+){0,3}?(?:Warning|Normal)\s+([A-Z][A-Za-z]{2,40})\s/;

/** The reason and the message of an event: its other columns name the reporter and the age. Other lines are whole. */
export function messageOf(text: string): string {
  const reason = EVENT.exec(text)?.[1];
  if (reason === undefined) return text;
  const message = text.split(/ {2,}|\t+/).at(-1);
  return message === undefined || message === text ? text : `${reason} ${message}`;
}
