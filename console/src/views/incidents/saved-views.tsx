// Choices of filters under a name, kept in this browser. Each is a link: its address can be sent to somebody.

import { useSignal } from "@preact/signals";
import { displayText } from "../../../../lib/text/display-text.ts";
import { Button } from "../../components/button.tsx";
import { TextField } from "../../components/field.tsx";
import { consolePath } from "../../format/console-path.ts";
import { changedViews, type SavedView, savedViewsOf } from "./view-list.ts";

const KEY = "dejavu.views";

/** @param search the part of the address from `?` on; empty for the list without a choice */
export function SavedViews({ search }: { readonly search: string }) {
  const views = useSignal(savedViewsOf(localStorage.getItem(KEY)));
  const name = useSignal<string | null>(null);
  const change = (next: readonly SavedView[]) => {
    views.value = next;
    localStorage.setItem(KEY, JSON.stringify(next));
  };
  const save = (event: Event) => {
    event.preventDefault();
    change(changedViews(views.value, name.value ?? "", search));
    name.value = null;
  };
  const canSave = search !== "" && views.value.every((view) => view.search !== search);
  if (views.value.length === 0 && !canSave) return null;
  return (
    <div class="actions">
      {views.value.map((view) => (
        <span key={view.name} class={view.search === search ? "chip chip-on" : "chip"}>
          <a href={consolePath(view.search)} aria-current={view.search === search ? "true" : undefined}>
            {displayText(view.name)}
          </a>
          <button
            type="button"
            class="bare-button"
            aria-label={`Delete the view ${displayText(view.name)}`}
            onClick={() => change(views.value.filter((other) => other !== view))}
          >
            ×
          </button>
        </span>
      ))}
      {canSave && name.value === null && (
        <Button size="small" onClick={() => (name.value = "")}>
          Save this view
        </Button>
      )}
      {canSave && name.value !== null && (
        <form class="actions" onSubmit={save}>
          <TextField
            label="Name of the view"
            isLabelHidden
            required
            placeholder="Name of the view"
            maxLength={40}
            value={name.value}
            set={(text) => (name.value = text)}
          />
          <Button type="submit">Save</Button>
        </form>
      )}
    </div>
  );
}
