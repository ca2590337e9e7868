// Hosts that data cannot leave the network by: this machine, private addresses, and names that only resolve locally.

const LOCAL_NAME = /(?:^|\.)(?:localhost|local|internal|svc|example|test|invalid)$/;
const PRIVATE_IPV4 = /^(?:127|10)\.|^192\.168\.|^172\.(?:1[6-9]|2\d|3[01])\.|^0\.0\.0\.0$/;
const IPV4 = /^\d+\.\d+\.\d+\.\d+$/;
const LOCAL_IPV6 = /^\[(?:::1?|f[cd][0-9a-f]{2}:[0-9a-f:]*|fe80:[0-9a-f:]*)\]$/;

/** @param host in the form of the URL standard: lower case, IPv6 in brackets */
export function isLocalHost(host: string): boolean {
  if (host === "") return false;
  if (IPV4.test(host)) return PRIVATE_IPV4.test(host);
  return !/[.:]/.test(host) || LOCAL_NAME.test(host) || LOCAL_IPV6.test(host);
}

/** Placeholders for the reader to fill in: `<host>`, `${HOST}`, `$HOST`, `{{ host }}`, `[HOST]`, `%s`. */
const PLACEHOLDER = String.raw`(?:<[\w -]{1,40}>|\$\{\w{1,40}\}|\$\w{1,40}|\{\{?[\w. ]{0,40}\}{0,2}|\[[A-Z_]{1,40}\]|%[sd])`;
const PORT_PLACEHOLDER = new RegExp(`:${PLACEHOLDER}(?=[/?#]|$)`, "gi");
const NAME_PLACEHOLDER = new RegExp(PLACEHOLDER, "gi");

/** Fills the placeholders of a URL with a local name and port: `http://$HOST:<port>/` becomes `http://x:1/`. */
export function withoutPlaceholders(url: string): string {
  return url.replace(PORT_PLACEHOLDER, ":1").replace(NAME_PLACEHOLDER, "x");
}
