// Converts Slack's markup to the text that the person saw.
// https://docs.slack.dev/messaging/formatting-message-text#retrieving-messages

/** Mentions, channels and links in angle brackets. Slack sends a typed bracket as an entity. */
const MARKUP = /<(?:([@#!])([^<>|]*)|([a-z][a-z0-9+.-]*:[^<>|]*))(?:\|([^<>]*))?>/gi;

/** Returns plain text without NUL or lone surrogates, which cannot be stored. Linear time. */
export function readSlackText(text: string): string {
  return text
    .replace(MARKUP, (_, kind?: string, target?: string, url?: string, label?: string) => {
      if (kind === undefined) return label ?? url ?? "";
      const name = label ?? target?.split("^", 1)[0] ?? "";
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

/** Removes the mention of this app. @param botUserId the app's user; undefined removes the first mention */
export function withoutMention(text: string, botUserId: string | undefined): string {
  return text.replace(new RegExp(`<@${botUserId ?? "[A-Z0-9]+"}(?:\\|[^<>]*)?>`), " ");
}
