// The values of a form, and its submission.

import { type Signal, useSignal } from "@preact/signals";

/** `field("title")` is what a field of that value takes: `<TextField label="Title" {...field("title")} />`. */
export function useForm<Values extends object>(initial: Values) {
  const form = useSignal(initial);
  const change = (changed: Partial<Values>) => {
    form.value = { ...form.value, ...changed };
  };
  const field = <Name extends keyof Values>(name: Name) => ({
    value: form.value[name],
    set: (value: Values[Name]) => {
      form.value = { ...form.value, [name]: value };
    },
  });
  return { values: form.value, change, field };
}

/** The same for a value of its own: `<TextField label="Why?" {...bound(reason)} />`. */
export function bound<T>(signal: Signal<T>) {
  return {
    value: signal.value,
    set: (value: T) => {
      signal.value = value;
    },
  };
}

/** Runs `send` once at a time. @param send returns why it failed, or null */
export function useSubmit<Outcome>(send: () => Promise<Outcome | null>) {
  const isBusy = useSignal(false);
  const outcome = useSignal<Outcome | null>(null);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (isBusy.value) return;
    isBusy.value = true;
    outcome.value = await send().finally(() => (isBusy.value = false));
  };
  return { submit, isBusy: isBusy.value, outcome: outcome.value };
}
