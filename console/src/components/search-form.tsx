// Words that a list is searched for. They are in the address, so that a list can be sent to somebody.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { useKeys } from "../keyboard/keys.ts";
import { Button } from "./button.tsx";
import { Field } from "./field.tsx";

/** The address of the present list with a filter changed; null or an empty text removes it. */
export function filterHref(
  { path, query }: Pick<ReturnType<typeof useLocation>, "path" | "query">,
  change: Readonly<Record<string, string | null>>,
): string {
  const entries = Object.entries({ ...query, ...change }).filter((entry): entry is [string, string] =>
    Boolean(entry[1]),
  );
  return entries.length === 0 ? path : `${path}?${new URLSearchParams(entries)}`;
}

interface SearchFormProps {
  readonly label: string;
  readonly action?: string;
  readonly maxLength?: number;
  /** Beside the words. */
  readonly children?: ComponentChildren;
}

export function SearchForm({ label, action = "Search", maxLength = 200, children }: SearchFormProps) {
  const location = useLocation();
  const { text = "" } = location.query;
  const typed = useSignal(text);
  const input = useRef<HTMLInputElement>(null);
  // The back button changes the address alone.
  useEffect(() => {
    typed.value = text;
  }, [text]);
  useKeys([{ keys: "/", name: label, run: () => input.current?.focus() }]);
  const search = () => location.route(filterHref(location, { text: typed.value.trim() }));
  return (
    <search>
      <form
        class="search-form"
        onSubmit={(event) => {
          event.preventDefault();
          search();
        }}
      >
        <Field label={label} isLabelHidden>
          <input
            ref={input}
            type="search"
            maxLength={maxLength}
            placeholder={label}
            value={typed.value}
            onInput={(event) => {
              typed.value = event.currentTarget.value;
              // The button of the field that empties it shows the whole list again.
              if (typed.value === "" && text !== "") search();
            }}
          />
        </Field>
        {children}
        <Button type="submit">{action}</Button>
      </form>
    </search>
  );
}
