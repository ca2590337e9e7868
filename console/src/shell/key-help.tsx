// The list of keys, and the keys that every view has.

import { useSignal } from "@preact/signals";
import { useLocation } from "preact-iso/router";
import { Dialog } from "../components/dialog.tsx";
import { consolePath } from "../format/console-path.ts";
import { currentKeys, type Key, useKeys } from "../keyboard/keys.ts";
import { can } from "../session/session.ts";
import { VIEWS } from "./views.ts";

export function KeyHelp() {
  const isOpen = useSignal(false);
  const { route } = useLocation();
  const views = VIEWS.flatMap((view): Key[] => {
    if (view.key === undefined || !view.scopes.some(can)) return [];
    const href = consolePath(view.path.replace(/\/:.*$/, ""));
    return [{ keys: `g ${view.key}`, name: `Go to ${view.name}`, run: () => route(href) }];
  });
  useKeys([...views, { keys: "?", name: "Show the keys", run: () => (isOpen.value = !isOpen.value) }]);
  if (!isOpen.value) return null;
  return (
    <Dialog title="Keys" onClose={() => (isOpen.value = false)}>
      <dl class="key-list">
        {[{ keys: "Ctrl+K", name: "Go to a view or an incident" }, ...currentKeys()].map(({ keys, name }) => (
          <div key={keys}>
            <dt>
              {keys.split(" ").map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{name}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
