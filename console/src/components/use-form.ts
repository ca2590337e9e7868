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
    set: (value: Values[Name]) => {
      form.value = { ...form.value, [name]: value };
    },
  });
  return { values: form.value, change, field };
}
