// The navigation between the views that the session allows.

import { useSignal } from "@preact/signals";
import { useLocation } from "preact-iso/router";
import { displayText } from "../../../lib/text/display-text.ts";
import { Button } from "../components/button.tsx";
import { Tabs } from "../components/tabs.tsx";
import { showToast } from "../components/toast.tsx";
import { consolePath } from "../format/console-path.ts";
import { can, session, signOut } from "../session/session.ts";
import { isActive } from "./active-view.ts";
import { VIEWS } from "./views.ts";

function Account() {
  const isBusy = useSignal(false);
  const end = async () => {
    isBusy.value = true;
    const failure = await signOut();
    isBusy.value = false;
    if (failure !== null) showToast(failure.detail, { isFailure: true });
  };
  const name = session.value?.name ?? "";
  return (
    <div class="shell-account">
      <span class="shell-account-name" title={name}>
        {displayText(name)}
      </span>
      <Button size="small" isBusy={isBusy.value} onClick={end}>
        Sign out
      </Button>
    </div>
  );
}

export function Navigation() {
  const { path } = useLocation();
  const views = VIEWS.filter(({ scopes }) => scopes.some(can)).flatMap((view) => {
    const href = consolePath(view.path.replace(/\/:.*$/, ""));
    return view.name === undefined ? [] : [{ href, name: view.name, isCurrent: isActive(path, href) }];
  });
  return (
    <header class="shell-header">
      <a class="shell-brand" href={consolePath("")}>
        Dejavu
      </a>
      <Tabs label="Views" tabs={views} class="shell-nav" />
      {session.value !== null && <Account />}
    </header>
  );
}
