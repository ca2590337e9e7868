// Filters of a list, kept in the address: words, the domain and the session.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { displayText } from "../../../../lib/text/display-text.ts";
import { Button } from "../../components/button.tsx";
import { Field } from "../../components/field.tsx";
import { useKeys } from "../../keyboard/keys.ts";

const MAX_LENGTH = 200;

/** The filters of the address; empty ones are left out. */
export function useFilters(): { readonly text?: string; readonly domain?: string; readonly session_id?: string } {
  const { query } = useLocation();
  const { text, domain, session } = query;
  return {
    ...(text ? { text } : {}),
    ...(domain ? { domain } : {}),
    ...(session ? { session_id: session } : {}),
  };
}

/** The address of the present list with a filter changed; null removes it. */
export function filterHref(
  { path, query }: Pick<ReturnType<typeof useLocation>, "path" | "query">,
  change: Readonly<Record<string, string | null>>,
): string {
  const entries = Object.entries({ ...query, ...change }).filter((entry): entry is [string, string] =>
    Boolean(entry[1]),
  );
  const search = new URLSearchParams(entries).toString();
  return search === "" ? path : `${path}?${search}`;
}

/** @param name what is listed, such as `observations` */
export function Filters({ name }: { readonly name: string }) {
  const location = useLocation();
  const { text = "", domain, session } = location.query;
  const typed = useSignal(text);
  const input = useRef<HTMLInputElement>(null);
  // The back button changes the address alone.
  useEffect(() => {
    typed.value = text;
  }, [text]);
  useKeys([{ keys: "/", name: `Search ${name}`, run: () => input.current?.focus() }]);
  const search = (event: Event) => {
    event.preventDefault();
    location.route(filterHref(location, { text: typed.value.trim() || null }));
  };
  return (
    <div class="memory-filters">
      <search>
        <form class="memory-search" onSubmit={search}>
          <Field label={`Search ${name}`} isLabelHidden>
            <input
              ref={input}
              type="search"
              maxLength={MAX_LENGTH}
              placeholder={`Search ${name}`}
              value={typed.value}
              onInput={(event) => {
                typed.value = event.currentTarget.value;
                // The button of the field that empties it shows the whole list again.
                if (typed.value === "" && text !== "") location.route(filterHref(location, { text: null }));
              }}
            />
          </Field>
          <Button type="submit">Search</Button>
        </form>
      </search>
      {(domain || session) && (
        <p class="actions">
          {domain && <Chosen name="Domain" value={domain} href={filterHref(location, { domain: null })} />}
          {session && <Chosen name="Session" value={session} href={filterHref(location, { session: null })} />}
        </p>
      )}
    </div>
  );
}

function Chosen({ name, value, href }: { readonly name: string; readonly value: string; readonly href: string }) {
  return (
    <span class="memory-chip">
      {name} <strong>{displayText(value)}</strong>{" "}
      <a href={href} aria-label={`Show every ${name.toLowerCase()}`}>
        ×
      </a>
    </span>
  );
}

/** The domain of a record; it filters the list. */
export function DomainLink({ domain }: { readonly domain: string }) {
  const location = useLocation();
  return (
    <a class="memory-domain" href={filterHref(location, { domain })} title={`Only ${domain}`}>
      {domain}
    </a>
  );
}
