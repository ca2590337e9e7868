// Signing in to the console: one-time codes, and new sessions of a credential.

import type { Database } from "../adapters/database.ts";
import { networkOf } from "./client-network.ts";
import {
  type ConsoleSession,
  type Credential,
  createConsoleSession,
  createSignInCode,
  type Proofs,
  type Redemption,
  redeemSignInCode,
} from "./console-sessions.ts";
import type { FailureLimit } from "./failure-limit.ts";
import { CODE_BYTES, formatCode, formatSession, proofOf, SESSION_BYTES } from "./session-secrets.ts";
import { tokenHash } from "./token-format.ts";

const DAY_MS = 86_400_000;
/** The end of a session, however often it is used. */
const MAX_SESSION_MS = { token: 30 * DAY_MS, service: 30 * DAY_MS, slack: 7 * DAY_MS } as const;
const CODE_MS = 600_000;

/** A session and its secret, which only the cookie gets. */
export interface SignedIn {
  readonly state: "signed_in";
  readonly secret: string;
  readonly session: ConsoleSession;
}

export interface SignIn {
  /** @throws DependencyError */
  signIn(credential: Credential, requestId: string): Promise<SignedIn>;
  /** @param code undefined for a text that is no code @throws DependencyError */
  redeem(
    code: string | undefined,
    from: { readonly address: string | undefined; readonly requestId: string },
  ): Promise<SignedIn | Exclude<Redemption, { state: "signed_in" }> | { readonly state: "too_many_failures" }>;
  /** Stores a one-time code in this database. @throws DependencyError */
  createCode(database: Database, credential: Credential): Promise<{ readonly code: string; readonly expiresAt: Date }>;
}

export interface SignInOptions {
  readonly serviceToken: string | undefined;
  /** The chat's secret and the places that may use it: another value ends the sessions of its people. Undefined without a chat. */
  readonly chatSecret: string | undefined;
  readonly database: Database;
  readonly failures: FailureLimit;
  readonly now: () => Date;
  readonly newId: () => string;
  readonly randomBytes: (count: number) => Uint8Array;
}

/** The proofs of a session or code for the secrets that are configured now. */
export function createProofs({
  serviceToken,
  chatSecret,
}: Pick<SignInOptions, "serviceToken" | "chatSecret">): (random: string) => Proofs {
  return (random) => ({
    service: serviceToken === undefined ? null : proofOf(random, serviceToken),
    slack: chatSecret === undefined ? null : proofOf(random, chatSecret),
  });
}

export function createSignIn(options: SignInOptions, proofsOf: (random: string) => Proofs): SignIn {
  const { database, failures, now, newId, randomBytes } = options;

  const newSession = (requestId: string) => {
    const secret = formatSession(randomBytes(SESSION_BYTES));
    return {
      secret,
      row: { id: newId(), hash: tokenHash(secret), proofs: proofsOf(secret), now: now(), requestId },
    };
  };

  const endOf = (kind: Credential["kind"]) => new Date(now().getTime() + MAX_SESSION_MS[kind]);

  return {
    async signIn(credential, requestId) {
      const { secret, row } = newSession(requestId);
      const endsAt = endOf(credential.kind);
      const session = await createConsoleSession(database, { ...row, credential, endsAt });
      return { state: "signed_in", secret, session };
    },

    async redeem(code, { address, requestId }) {
      const network = address === undefined ? undefined : networkOf(address);
      if (failures.isBlocked(network)) return { state: "too_many_failures" };
      const { secret, row } = newSession(requestId);
      const endsAt = { token: endOf("token"), service: endOf("service"), slack: endOf("slack") };
      const redemption: Redemption =
        code === undefined
          ? { state: "unknown" }
          : await redeemSignInCode(database, { ...row, codeHash: tokenHash(code), codeProofs: proofsOf(code), endsAt });
      if (redemption.state === "signed_in") return { state: "signed_in", secret, session: redemption.session };
      if (redemption.state !== "unknown") return redemption;
      return (await failures.count(network)) ? { state: "too_many_failures" } : redemption;
    },

    async createCode(store, credential) {
      const code = formatCode(randomBytes(CODE_BYTES));
      const expiresAt = new Date(now().getTime() + CODE_MS);
      await createSignInCode(store, {
        id: newId(),
        hash: tokenHash(code),
        credential,
        proofs: proofsOf(code),
        now: now(),
        expiresAt,
      });
      return { code, expiresAt };
    },
  };
}
