// The filters of the list: the search in sight, on a phone the others behind a button.

import { useSignal } from "@preact/signals";
import { useEffect, useId, useRef } from "preact/hooks";
import { SEVERITIES } from "../../../../functions/schemas/incident-values.ts";
import { api } from "../../api/client.ts";
import { useRequest } from "../../api/use-request.ts";
import { Button } from "../../components/button.tsx";
import { Field } from "../../components/field.tsx";
import { chosenCount, type Filters, isFiltered, NO_FILTERS, STATUSES } from "./filters.ts";

const TYPING_MS = 250;
const STATUS_NAMES: Readonly<Record<string, string>> = { open: "Open", all: "All" };

interface IncidentFiltersProps {
  readonly filters: Filters;
  readonly change: (filters: Filters) => void;
}

export function IncidentFilters({ filters, change }: IncidentFiltersProps) {
  const { status, severity, domain, target, text } = filters;
  const domains = useRequest("domains", (options) =>
    api.GET("/v1/domains", { params: { query: { limit: 100 } }, ...options }),
  );
  const names = domains.state.value.status === "ready" ? domains.state.value.data.domains.map(({ name }) => name) : [];
  const options = domain === "" || names.includes(domain) ? names : [domain, ...names];
  const set = (part: Partial<Filters>) => change({ ...filters, ...part });
  const isOpen = useSignal(false);
  const id = useId();
  const chosen = chosenCount(filters);
  return (
    <search class="incidents-filters">
      <Field label="Search" isLabelHidden>
        <TypedInput
          name="text"
          value={text}
          placeholder="Search titles, targets and logs"
          set={(text) => set({ text })}
        />
      </Field>
      <div class="incidents-filter-button">
        <Button aria-expanded={isOpen.value} aria-controls={id} onClick={() => (isOpen.value = !isOpen.value)}>
          Filter{chosen > 0 && ` (${chosen})`}
        </Button>
      </div>
      <div id={id} class={isOpen.value ? "incidents-choices incidents-choices-open" : "incidents-choices"}>
        <Field label="Status" isLabelHidden>
          <select value={status} onChange={({ currentTarget }) => set({ status: currentTarget.value })}>
            {STATUSES.map((name) => (
              <option key={name} value={name}>
                {STATUS_NAMES[name] ?? name}
              </option>
            ))}
          </select>
        </Field>
        <Field label="Severity" isLabelHidden>
          <select value={severity} onChange={({ currentTarget }) => set({ severity: currentTarget.value })}>
            <option value="">Any severity</option>
            {SEVERITIES.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </Field>
        <Field label="Domain" isLabelHidden>
          <select value={domain} onChange={({ currentTarget }) => set({ domain: currentTarget.value })}>
            <option value="">Any domain</option>
            {options.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </Field>
        <Field label="Target" isLabelHidden>
          <TypedInput name="target" value={target} placeholder="Target, exactly" set={(target) => set({ target })} />
        </Field>
        {isFiltered(filters) && (
          <Button onClick={() => change(NO_FILTERS)} size="small">
            Clear filters
          </Button>
        )}
      </div>
    </search>
  );
}

interface TypedInputProps {
  readonly name: "text" | "target";
  readonly value: string;
  readonly placeholder: string;
  readonly set: (value: string) => void;
  /** Of Field. */
  readonly id?: string;
}

/** Takes effect when the person stops typing. */
function TypedInput({ name, value, placeholder, set, id }: TypedInputProps) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // The address changed by itself, such as by the back button.
    if (input.current !== null && document.activeElement !== input.current) input.current.value = value;
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <input
      id={id}
      ref={input}
      type="search"
      name={name}
      defaultValue={value}
      placeholder={placeholder}
      maxLength={200}
      autocomplete="off"
      spellcheck={false}
      onInput={({ currentTarget }) => {
        clearTimeout(timer.current);
        timer.current = setTimeout(() => set(currentTarget.value), TYPING_MS);
      }}
      onKeyDown={(event) => {
        // The first press clears the field, the second leaves it: the keys of the page are letters.
        if (event.key !== "Escape") return;
        event.preventDefault();
        clearTimeout(timer.current);
        if (event.currentTarget.value === "") event.currentTarget.blur();
        else {
          event.currentTarget.value = "";
          set("");
        }
      }}
    />
  );
}
