// The signed-in session: what the page may show, signing in and out.

import { computed, signal } from "@preact/signals";
import { api } from "../api/client.ts";
import { type Failure, settle } from "../api/failure.ts";
import type { Body } from "../api/types.ts";
import { takeCode } from "./code.ts";

export type Session = Body<"/v1/session">;
export type Scope = Session["scopes"][number];

export type SessionState =
  | { readonly status: "loading" }
  /**
   * `ended`: the session that ended while the page was open; its views stay, with what was typed. `failure`: of the link
   * that the person followed.
   */
  | { readonly status: "signed-out"; readonly ended: Session | null; readonly failure: Failure | null }
  | { readonly status: "signed-in"; readonly session: Session }
  | { readonly status: "unreachable"; readonly failure: Failure };

export const sessionState = signal<SessionState>({ status: "loading" });

/** Also while the person signs in again. */
export const session = computed<Session | null>(() => {
  const state = sessionState.value;
  if (state.status === "signed-in") return state.session;
  return state.status === "signed-out" ? state.ended : null;
});

/** Whether the session has the scope. What it does not allow is not shown. */
export function can(scope: Scope): boolean {
  return session.value?.scopes.includes(scope) ?? false;
}

/** Signs in with the code in the address, if there is one, or continues the session of the cookie. */
export async function loadSession(): Promise<void> {
  const code = takeCode();
  // The page preloads this request.
  const current = await settle(api.GET("/v1/session"));
  const failure = code === null ? null : await signIn({ code });
  if (code !== null && failure === null) return;
  // Somebody who follows a used link in the browser that used it is signed in already.
  if (current.ok) sessionState.value = { status: "signed-in", session: current.data };
  else if (current.failure.status === 401) sessionState.value = { status: "signed-out", ended: session.value, failure };
  else sessionState.value = { status: "unreachable", failure: current.failure };
}

/** @returns the failure; null once signed in */
export async function signIn(
  credential: { readonly token: string } | { readonly code: string },
): Promise<Failure | null> {
  const result = await settle(api.POST("/v1/session", { body: credential }));
  if (!result.ok) return result.failure;
  sessionState.value = { status: "signed-in", session: result.data };
  return null;
}

/** @returns the failure; null once signed out */
export async function signOut(): Promise<Failure | null> {
  const result = await settle(api.DELETE("/v1/session"));
  // With 401, the session had ended before.
  if (!result.ok && result.failure.status !== 401) return result.failure;
  // What was typed is not for the next person.
  sessionStorage.clear();
  sessionState.value = { status: "signed-out", ended: null, failure: null };
  return null;
}

/** After an answer with 401: the sign-in dialog appears above the page, which keeps what was typed. */
export function endSession(): void {
  const state = sessionState.value;
  if (state.status === "signed-in") sessionState.value = { status: "signed-out", ended: state.session, failure: null };
}

/** A person who signed in in another tab is signed in here, too. */
export async function resumeSession(): Promise<void> {
  if (sessionState.value.status !== "signed-out") return;
  const current = await settle(api.GET("/v1/session"));
  if (current.ok) sessionState.value = { status: "signed-in", session: current.data };
}
