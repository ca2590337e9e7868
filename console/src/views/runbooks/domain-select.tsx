// A choice of domain. Without the list of domains, the name can be typed.

import { api } from "../../api/client.ts";
import { useRequest } from "../../api/use-request.ts";
import { SelectField } from "../../components/field.tsx";
import { namesOf } from "../../format/names-of.ts";

interface DomainSelectProps {
  readonly value: string;
  readonly onChange: (domain: string) => void;
}

const MAX_DOMAINS = 100;

/** The names of the domains; empty until they are loaded. */
export function useDomainNames(): readonly string[] {
  const request = useRequest("domains", (options) =>
    api.GET("/v1/domains", { params: { query: { limit: MAX_DOMAINS } }, ...options }),
  );
  const state = request.state.value;
  return state.status === "ready" ? state.data.domains.map(({ name }) => name) : [];
}

/** Filters by a domain; empty for all. */
export function DomainSelect({ value, onChange }: DomainSelectProps) {
  const names = useDomainNames();
  const options = value === "" || names.includes(value) ? names : [value, ...names];
  return <SelectField label="Domain" value={value} names={namesOf(options, "All domains")} set={onChange} />;
}
