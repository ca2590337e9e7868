// One line of text with its button.

import { useSignal } from "@preact/signals";
import { Button } from "../../../components/button.tsx";
import { TextField } from "../../../components/field.tsx";

interface LineFormProps {
  readonly label: string;
  readonly action: string;
  readonly placeholder: string;
  readonly isBusy: boolean;
  /** @returns whether the text is taken, so that the field is emptied */
  readonly submit: (text: string) => boolean | Promise<boolean>;
}

export function LineForm({ label, action, placeholder, isBusy, submit }: LineFormProps) {
  const text = useSignal("");
  const run = async (event: Event) => {
    event.preventDefault();
    const line = text.value.trim();
    if (line !== "" && !isBusy && (await submit(line))) text.value = "";
  };
  return (
    <form class="record-ask" onSubmit={run}>
      <TextField
        label={label}
        isLabelHidden
        maxLength={4_000}
        placeholder={placeholder}
        value={text.value}
        set={(typed) => (text.value = typed)}
      />
      <Button type="submit" isBusy={isBusy}>
        {action}
      </Button>
    </form>
  );
}
