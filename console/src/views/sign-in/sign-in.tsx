// Signing in: with a token or a link that is pasted, and after a link that did not work.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Failure } from "../../api/failure.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Field } from "../../components/field.tsx";
import { Page } from "../../components/page.tsx";
import { useSubmit } from "../../components/use-form.ts";
import { readCredential } from "../../session/code.ts";
import { resumeSession, signIn } from "../../session/session.ts";
import "./sign-in.css";

interface SignInProps {
  /** Above a page whose session has ended. */
  readonly isDialog?: boolean;
  /** Of the link that the person followed. */
  readonly failure: Failure | null;
}

export function SignIn({ isDialog = false, failure }: SignInProps) {
  useEffect(() => {
    const resume = () => {
      if (document.visibilityState === "visible") void resumeSession();
    };
    document.addEventListener("visibilitychange", resume);
    return () => document.removeEventListener("visibilitychange", resume);
  }, []);
  if (!isDialog)
    return (
      <main id="content" class="sign-in" tabindex={-1}>
        <Page title="Sign in to Dejavu">
          <p>Dejavu says what failed, and what fixed it last time.</p>
          <CredentialForm linkFailure={failure} />
        </Page>
      </main>
    );
  return (
    <Dialog title="Your session has ended" onClose={() => {}} canClose={false}>
      <p>Sign in to continue. The page behind this keeps what you typed.</p>
      <CredentialForm linkFailure={failure} />
    </Dialog>
  );
}

function CredentialForm({ linkFailure }: { readonly linkFailure: Failure | null }) {
  const text = useSignal("");
  const { submit, isBusy, outcome } = useSubmit(() => signIn(readCredential(text.value)));
  return (
    <form class="stack" onSubmit={submit}>
      {linkFailure !== null && outcome === null && (
        <p class="callout tone-warn" role="alert">
          {linkFailure.detail}
        </p>
      )}
      <Field
        label="Token or one-time link"
        hint="The token stays on the server: this browser keeps a session of its own."
        error={outcome?.detail}
      >
        <input
          type="password"
          name="token"
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          required
          value={text.value}
          onInput={(event) => (text.value = event.currentTarget.value)}
        />
      </Field>
      <Button kind="primary" type="submit" isBusy={isBusy}>
        Sign in
      </Button>
      <div class="stack-2 sign-in-help">
        <h2>Where do I get one?</h2>
        <ul class="bullets">
          <li>
            A link, in a terminal: <code>dejavu console</code>. <code>npm start</code> prints one too.
          </li>
          <li>
            A link, in Slack: <code>/triage console</code>
          </li>
          <li>A token, from somebody who may open Settings here.</li>
        </ul>
      </div>
    </form>
  );
}
