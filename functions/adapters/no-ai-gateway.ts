// Stands in for `@ai-sdk/gateway` in the bundle (wrangler.toml). The AI SDK imports it for models that are named by a
// string; here each model has its own provider, so no error is of the gateway.

const neverOfGateway = { isInstance: () => false };

export const GatewayError = neverOfGateway;
export const GatewayAuthenticationError = neverOfGateway;
export const gateway = undefined;
export const createGateway = undefined;
