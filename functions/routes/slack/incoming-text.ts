// Owns how text that a person typed in Slack is read: Slack's own markup becomes the words that the person saw.
// https://docs.slack.dev/messaging/formatting-message-text#retrieving-messages

/** Mentions, channels and links in angle brackets; a bracket that a person types comes as an entity. */
const MARKUP = /<(?:([@#!])([^<>|]*)|([a-z][a-z0-9+.-]*:[^<>|]*))(?:\|([^<>]*))?>/gi;

/** Plain words without NUL or lone surrogates, which nothing behind us can keep. Linear. */
export function readSlackText(text: string): string {
  return text
    .replace(MARKUP, (_, kind?: string, target?: string, url?: string, label?: string) => {
      if (kind === undefined) return label ?? url ?? "";
      const name = label ?? target?.replace(/\^.*$/, "") ?? "";
      const sign = kind === "#" ? "#" : "@";
      return name.startsWith(sign) ? name : sign + name;
    })
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")
    .replaceAll("\0", "")
    .toWellFormed()
    .trim();
}

/** The text of a mention without the mention itself. @param botUserId of this app; undefined removes the first mention */
export function withoutMention(text: string, botUserId: string | undefined): string {
  return text.replace(new RegExp(`<@${botUserId ?? "[A-Z0-9]+"}(?:\\|[^<>]*)?>`), " ");
}
