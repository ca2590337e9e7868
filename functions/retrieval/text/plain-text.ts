// Owns what of a text is text: colours and other orders to a terminal are none, nor are characters that cannot be stored.

/** ANSI escape sequences, such as the colours of a container's log. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with one.
const ANSI = /(?:\u001b\[|\u009b)[\d;:?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]{0,200}(?:\u0007|\u001b\\)/g;
/** But for line breaks and tabs. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f]/g;

/** The text without ANSI sequences and control characters. Linear. */
export function plainText(text: string): string {
  return text.replace(ANSI, "").replace(CONTROL, "");
}
