// Deletes a record of memory, after a dialog that says what goes with it.

import type { ComponentChildren } from "preact";
import type { Reply } from "../../api/failure.ts";
import { ConfirmedRemoval } from "../../components/confirmed-removal.tsx";
import { can } from "../../session/session.ts";

interface ForgetButtonProps {
  /** Such as `observation`. */
  readonly kind: string;
  /** The record, for screen readers. */
  readonly name: string;
  readonly size?: "small" | "normal";
  readonly forget: () => Promise<Reply<unknown>>;
  readonly onForgotten: () => void;
  /** What is deleted with it, and what stays. */
  readonly children: ComponentChildren;
}

/** Shown with the scope `admin` only. */
export function ForgetButton({ kind, name, size = "normal", forget, onForgotten, children }: ForgetButtonProps) {
  if (!can("admin")) return null;
  return (
    <ConfirmedRemoval
      verb="Forget"
      name={name}
      title={`Forget this ${kind}?`}
      size={size}
      remove={forget}
      done={`The ${kind} is deleted.`}
      onDone={onForgotten}
    >
      {children}
      <p>Nobody can undo this.</p>
    </ConfirmedRemoval>
  );
}
