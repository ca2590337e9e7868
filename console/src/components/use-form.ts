// The values of a form.

import { useSignal } from "@preact/signals";

/** `field("title")` is what a field of that value takes: `<TextField label="Title" {...field("title")} />`. */
export function useForm<Values extends object>(initial: Values) {
  const form = useSignal(initial);
  const change = (changed: Partial<Values>) => {
    form.value = { ...form.value, ...changed };
  };
  const field = <Name extends keyof Values>(name: Name) => ({
    value: form.value[name],
    set: (value: Values[Name]) => change({ [name]: value } as unknown as Partial<Values>),
  });
  return { values: form.value, change, field };
}
