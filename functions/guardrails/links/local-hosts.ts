// Owns which hosts of a URL are no way out: this machine, its network, names that only resolve there, and blanks to be
// filled in.

const LOCAL_NAME = /(?:^|\.)(?:localhost|local|internal|svc|example|test|invalid)$/;
const PRIVATE_IPV4 = /^(?:127|10)\.|^192\.168\.|^172\.(?:1[6-9]|2\d|3[01])\.|^0\.0\.0\.0$/;
const IPV4 = /^\d+\.\d+\.\d+\.\d+$/;
const LOCAL_IPV6 = /^\[(?:::1?|f[cd][0-9a-f]{2}:[0-9a-f:]*|fe80:[0-9a-f:]*)\]$/;

/** @param host as the URL standard writes it: lower case, IPv6 in brackets */
export function isLocalHost(host: string): boolean {
  if (host === "") return false;
  if (IPV4.test(host)) return PRIVATE_IPV4.test(host);
  return !/[.:]/.test(host) || LOCAL_NAME.test(host) || LOCAL_IPV6.test(host);
}

const BLANK = String.raw`(?:<[\w -]{1,40}>|\$\{\w{1,40}\}|\$\w{1,40}|\{\{?[\w. ]{0,40}\}{0,2}|\[[A-Z_]{1,40}\]|%[sd])`;
const BLANK_PORT = new RegExp(`:${BLANK}(?=[/?#]|$)`, "gi");
const BLANK_NAME = new RegExp(BLANK, "gi");

/** The URL with something harmless in its blanks: `http://$HOST:<port>/` is `http://x:1/`. */
export function withoutPlaceholders(url: string): string {
  return url.replace(BLANK_PORT, ":1").replace(BLANK_NAME, "x");
}
