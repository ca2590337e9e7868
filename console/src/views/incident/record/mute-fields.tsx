// The reason and the end of a mute.

import type { Signal } from "@preact/signals";
import { SelectField, TextField } from "../../../components/field.tsx";
import { AT_A_TIME, type MuteForm, PERIODS } from "./model/mutes.ts";

export function MuteFields({ form, error }: { readonly form: Signal<MuteForm>; readonly error: string | undefined }) {
  const { reason, period, until } = form.value;
  const change = (changed: Partial<MuteForm>) => {
    form.value = { ...form.value, ...changed };
  };
  const isUnexplained = reason.trim() === "";
  return (
    <>
      <p>
        What is expected is stored and answered, but nobody is told. What is still open at the end is announced then.
      </p>
      <TextField
        label="Why is it expected?"
        placeholder="Such as: planned migration"
        error={isUnexplained ? error : undefined}
        maxLength={500}
        value={reason}
        set={(reason) => change({ reason })}
      />
      <SelectField
        label="Until"
        value={period}
        names={Object.fromEntries(Object.entries(PERIODS).map(([name, { text }]) => [name, text]))}
        set={(period) => change({ period })}
      />
      {period === AT_A_TIME && (
        <TextField
          label="Time"
          type="datetime-local"
          required
          error={isUnexplained ? undefined : error}
          value={until}
          set={(until) => change({ until })}
        />
      )}
    </>
  );
}
