// Authentication by tokens and by sessions of the console, which count wrong secrets together.

import type { RateLimiter } from "../adapters/rate-limiter.ts";
import { type Authenticator, type AuthenticatorOptions, createAuthenticator } from "./authenticate.ts";
import {
  createSessionAuthenticator,
  type SessionAuthenticator,
  type SessionAuthenticatorOptions,
} from "./authenticate-session.ts";
import { createFailureLimit } from "./failure-limit.ts";

export interface Access {
  readonly authenticator: Authenticator;
  readonly sessions: SessionAuthenticator;
}

interface AccessOptions extends Omit<AuthenticatorOptions & SessionAuthenticatorOptions, "failures"> {
  /** Counts wrong tokens, sessions and codes by network. */
  readonly limitFailures: RateLimiter;
}

export function createAccess({ limitFailures, ...options }: AccessOptions): Access {
  const failures = createFailureLimit(limitFailures, options.now);
  return {
    authenticator: createAuthenticator({ ...options, failures }),
    sessions: createSessionAuthenticator({ ...options, failures }),
  };
}

interface AccessConfig {
  readonly DEJAVU_TOKEN?: string | undefined;
  readonly TOKEN_CACHE_SECONDS: number;
  readonly SLACK_SIGNING_SECRET?: string | undefined;
  readonly SLACK_ALLOWED: readonly string[];
}

/** The sessions of Slack's people end when Slack is turned off, its secret is replaced, or other places are allowed. */
export function accessSettings(config: AccessConfig) {
  const { SLACK_SIGNING_SECRET: secret, SLACK_ALLOWED } = config;
  const chatSecret = secret && JSON.stringify([secret, SLACK_ALLOWED]);
  return { serviceToken: config.DEJAVU_TOKEN, chatSecret, cacheSeconds: config.TOKEN_CACHE_SECONDS };
}
