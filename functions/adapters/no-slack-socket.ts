// Stands in for two parts of the packages for Slack in the bundle (wrangler.toml): Slack calls the Worker over HTTP, and its token
// does not rotate.

export const SocketModeClient = undefined;
export const TokenRotator = undefined;
