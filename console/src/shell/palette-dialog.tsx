// The command palette: goes to a view or an incident by a few letters of its name.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { placeText } from "../../../functions/surroundings/place-text.ts";
import { displayText } from "../../../lib/text/display-text.ts";
import { getJson, useRequest } from "../api/use-request.ts";
import { STATUS_NAMES } from "../components/badge.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Field } from "../components/field.tsx";
import { consolePath } from "../format/console-path.ts";
import { can } from "../session/session.ts";
import { useSettled } from "../views/runbooks/use-settled.ts";
import { namedViews } from "./views.ts";
import "./palette.css";

const MAX_INCIDENTS = 8;
const TYPING_MS = 150;

interface Entry {
  readonly href: string;
  readonly name: string;
  readonly detail: string;
}

export function PaletteDialog({ close }: { readonly close: () => void }) {
  const text = useSignal("");
  const content = useRef<HTMLElement>(null);
  const settled = useSettled(text.value, TYPING_MS);
  const incidents = useIncidents(settled, settled === text.value);
  // Those of the last search stay while the next one runs, as far as they have the words.
  const words = text.value.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const hasWords = ({ name, detail }: Entry) => words.every((word) => `${name} ${detail}`.toLowerCase().includes(word));
  const shown = incidents.isCurrent ? incidents.entries : incidents.entries.filter(hasWords);
  const entries = [...viewsLike(text.value), ...shown];
  // The platform would focus the button that closes it.
  useEffect(() => content.current?.querySelector("input")?.focus(), []);
  const move = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const stops = [...(content.current?.querySelectorAll<HTMLElement>("input, a") ?? [])];
    stops[stops.indexOf(document.activeElement as HTMLElement) + step]?.focus();
  };
  const open = (event: Event) => {
    event.preventDefault();
    content.current?.querySelector("a")?.click();
  };
  return (
    <Dialog title="Go to" onClose={close}>
      <search ref={content} onKeyDown={move}>
        <form onSubmit={open}>
          <Field label="A view, or words of an incident" isLabelHidden>
            <input
              placeholder="A view, or words of an incident"
              maxLength={200}
              autocomplete="off"
              spellcheck={false}
              onInput={({ currentTarget }) => (text.value = currentTarget.value)}
            />
          </Field>
        </form>
        <ul class="palette-list">
          {entries.map(({ href, name, detail }) => (
            <li key={href}>
              <a href={href} onClick={close}>
                <span>{name}</span> <span class="note">{detail}</span>
              </a>
            </li>
          ))}
        </ul>
        <p class="note" role="status">
          {shown.length === 0 ? incidents.state : ""}
        </p>
      </search>
    </Dialog>
  );
}

function viewsLike(text: string): Entry[] {
  const words = text.trim().toLowerCase();
  return namedViews().flatMap(({ name, href }) =>
    name.toLowerCase().includes(words) ? [{ href, name, detail: "view" }] : [],
  );
}

/** Those with the words, the newest first; without words, the most urgent ones that are open. */
function useIncidents(text: string, isSettled: boolean) {
  const last = useRef<readonly Entry[]>([]);
  const hasWords = /[\p{L}\p{N}]/u.test(text);
  const query = hasWords ? { text } : { status: "open", sort: "urgent" as const };
  const request = useRequest(`incidents ${text}`, (options) =>
    can("read")
      ? getJson("/v1/incidents", { query: { ...query, limit: MAX_INCIDENTS } }, options)
      : Promise.resolve({ data: { incidents: [], next_cursor: null, counts: null }, response: new Response() }),
  );
  const state = request.state.value;
  if (state.status === "failed")
    return { entries: [], isCurrent: true, state: `${state.failure.title}. ${state.failure.detail}` };
  if (state.status === "loading") return { entries: last.current, isCurrent: false, state: "Searching…" };
  last.current = state.data.incidents.map((row) => ({
    href: consolePath(`/incidents/${row.id}`),
    name: displayText(row.title),
    detail: displayText([row.severity, STATUS_NAMES[row.status].name, placeText(row)].filter(Boolean).join(" · ")),
  }));
  return { entries: last.current, isCurrent: isSettled, state: "No incident has these words." };
}
