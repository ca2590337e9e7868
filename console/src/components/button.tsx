// Buttons. `isBusy` keeps the width and refuses a second press.

import type { ButtonHTMLAttributes, ComponentChildren } from "preact";

interface ButtonProps extends Omit<ButtonHTMLAttributes, "type" | "class" | "className" | "size" | "disabled"> {
  /** `primary`: the main action of a view, once. `danger`: it deletes. */
  readonly kind?: "primary" | "plain" | "danger";
  readonly type?: "button" | "submit";
  readonly size?: "small" | "normal";
  readonly isBusy?: boolean;
  readonly disabled?: boolean;
  readonly children: ComponentChildren;
}

export function Button({
  kind = "plain",
  type = "button",
  size = "normal",
  isBusy = false,
  disabled = false,
  children,
  ...others
}: ButtonProps) {
  return (
    <button
      {...others}
      type={type}
      class={`button button-${kind}${size === "small" ? " button-small" : ""}`}
      disabled={disabled || isBusy}
      aria-busy={isBusy}
    >
      {children}
    </button>
  );
}
