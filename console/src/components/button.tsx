// Buttons. While it is busy, a button keeps its width and the focus, and refuses a second press.

import { useSignal } from "@preact/signals";
import type { ButtonHTMLAttributes, ComponentChildren } from "preact";

interface ButtonProps
  extends Omit<ButtonHTMLAttributes, "type" | "class" | "className" | "size" | "disabled" | "onClick"> {
  /** `primary`: the main action of a view, once. `danger`: it deletes. */
  readonly kind?: "primary" | "plain" | "danger";
  readonly type?: "button" | "submit";
  readonly size?: "small" | "normal";
  /** It is busy by itself until a promise of `onClick` ends. */
  readonly isBusy?: boolean;
  readonly disabled?: boolean;
  readonly onClick?: () => unknown;
  readonly children: ComponentChildren;
}

export function Button({
  kind = "plain",
  type = "button",
  size = "normal",
  isBusy = false,
  onClick,
  children,
  ...others
}: ButtonProps) {
  const isRunning = useSignal(false);
  const isRefusing = isBusy || isRunning.value;
  const press = async (event: Event) => {
    if (isRefusing) return event.preventDefault();
    const running = onClick?.();
    if (!(running instanceof Promise)) return;
    isRunning.value = true;
    await running.finally(() => (isRunning.value = false));
  };
  return (
    <button
      {...others}
      type={type}
      class={`button button-${kind}${size === "small" ? " button-small" : ""}`}
      aria-disabled={isRefusing}
      aria-busy={isRefusing}
      onClick={press}
    >
      {children}
    </button>
  );
}
