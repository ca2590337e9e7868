// The filters of the list: the search in sight, on a phone the others behind a button.

import { useSignal } from "@preact/signals";
import { useEffect, useId, useRef } from "preact/hooks";
import { SEVERITIES } from "../../../../functions/schemas/incident-values.ts";
import { useDomainNames } from "../../api/use-domain-names.ts";
import { STATUS_NAMES } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Field, namesOf, SelectField, TextField } from "../../components/field.tsx";
import {
  chosenCount,
  type Filters,
  GROUPS,
  isFiltered,
  NO_FILTERS,
  RANGES,
  SORTS,
  sortOf,
  withFilters,
} from "./filters.ts";

const TYPING_MS = 250;
const SEVERITY_NAMES = namesOf(SEVERITIES, "Any severity");
const STATUS_CHOICES = {
  open: "Open",
  firing: "Firing",
  all: "All",
  ...Object.fromEntries(Object.entries(STATUS_NAMES).map(([status, { name }]) => [status, name])),
  triaged: "Open, answered",
};

interface IncidentFiltersProps {
  readonly filters: Filters;
  readonly change: (filters: Filters) => void;
}

export function IncidentFilters({ filters, change }: IncidentFiltersProps) {
  const { domain, service, within, from, to, text } = filters;
  const names = useDomainNames(domain);
  const set = (part: Partial<Filters>) => change(withFilters(filters, part));
  const isOpen = useSignal(false);
  const id = useId();
  const chosen = chosenCount(filters);
  const select = (name: "status" | "severity" | "domain" | "group", label: string, names: Record<string, string>) => (
    <SelectField
      isLabelHidden
      label={label}
      value={filters[name]}
      names={names}
      set={(value) => set({ [name]: value })}
    />
  );
  return (
    <search class="incidents-filters">
      <Field label="Search" isLabelHidden>
        <TypedInput
          name="text"
          value={text}
          placeholder="Search titles, services, logs"
          set={(text) => set({ text })}
        />
      </Field>
      <div class="incidents-filter-button">
        <Button aria-expanded={isOpen.value} aria-controls={id} onClick={() => (isOpen.value = !isOpen.value)}>
          Filter{chosen > 0 && ` (${chosen})`}
        </Button>
      </div>
      <div id={id} class={isOpen.value ? "incidents-choices incidents-choices-open" : "incidents-choices"}>
        {select("status", "Status", STATUS_CHOICES)}
        {select("severity", "Severity", SEVERITY_NAMES)}
        {select("domain", "Domain", namesOf(names, "Any domain"))}
        <Field label="Service" isLabelHidden>
          <TypedInput name="service" value={service} placeholder="Service" set={(service) => set({ service })} />
        </Field>
        <SelectField
          isLabelHidden
          label="Began"
          value={within}
          names={{ "": "Any time", ...RANGES }}
          set={(within) => set({ within, from: "", to: "" })}
        />
        <SelectField isLabelHidden label="Order" value={sortOf(filters)} names={SORTS} set={(sort) => set({ sort })} />
        {select("group", "Groups", { "": "No groups", ...GROUPS })}
        {within === "dates" && (
          <div class="incidents-dates">
            <TextField label="From" type="date" value={from} set={(from) => set({ from })} />
            <TextField label="To" type="date" value={to} set={(to) => set({ to })} />
          </div>
        )}
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
  readonly name: "text" | "service";
  readonly value: string;
  readonly placeholder: string;
  readonly set: (value: string) => void;
  /** Of Field. */
  readonly id?: string;
}

/** Takes effect when the person stops typing. */
function TypedInput({ name, value, placeholder, set, id }: TypedInputProps) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // Another filter may be chosen before this one takes effect: it must not be lost.
  const latest = useRef(set);
  latest.current = set;
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
        timer.current = setTimeout(() => latest.current(currentTarget.value), TYPING_MS);
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
