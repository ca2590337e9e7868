// The navigation between the views that the session allows: at the top, or on a phone at the bottom edge, where the first
// views stand and the others are in a menu.

import { useEffect, useRef } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { displayText } from "../../../lib/text/display-text.ts";
import { Button } from "../components/button.tsx";
import { type Tab, Tabs } from "../components/tabs.tsx";
import { showToast } from "../components/toast.tsx";
import { BASE, consolePath } from "../format/console-path.ts";
import { session, signOut } from "../session/session.ts";
import { openPalette } from "./palette.tsx";
import { namedViews } from "./views.ts";

/** Views at the bottom edge of a phone. The styles hide the others there. */
const AT_THE_EDGE = 4;

export function Navigation() {
  const { path } = useLocation();
  const views = namedViews().map((view) => ({ ...view, isCurrent: isActive(path, view.href) }));
  return (
    <header class="shell-header">
      <a class="shell-brand" href={consolePath("")}>
        Dejavu
      </a>
      <Tabs label="Views" tabs={views} class="tabs shell-nav" />
      {session.value !== null && <Menu views={views.slice(AT_THE_EDGE)} path={path} />}
    </header>
  );
}

/** An incident belongs to the list of incidents. */
function isActive(path: string, href: string): boolean {
  if (href === BASE) return path === BASE || path.startsWith(`${BASE}/incidents`);
  return path === href || path.startsWith(`${href}/`);
}

function Account() {
  const end = async () => {
    const failure = await signOut();
    if (failure !== null) showToast(failure.detail, { isFailure: true });
  };
  const name = session.value?.name ?? "";
  return (
    <div class="shell-account">
      <span class="shell-account-name" title={name}>
        {displayText(name)}
      </span>
      <Button size="small" title="Ctrl+K" onClick={openPalette}>
        Go to…
      </Button>
      <Button size="small" onClick={end}>
        Sign out
      </Button>
    </div>
  );
}

/** The account, and on a phone a button that opens it with the other views. The platform closes it on Escape and on a tap beside it. */
function Menu({ views, path }: { readonly views: readonly Tab[]; readonly path: string }) {
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => panel.current?.hidePopover(), [path]);
  const current = views.find(({ isCurrent }) => isCurrent);
  return (
    <div class="shell-menu">
      <button
        type="button"
        popovertarget="shell-menu"
        class="tab shell-more"
        aria-current={current === undefined ? undefined : "page"}
      >
        {current?.name ?? "More"}
        <span aria-hidden="true"> ▴</span>
      </button>
      <div ref={panel} id="shell-menu" class="menu-panel" popover="auto">
        {views.length > 0 && <Tabs label="More views" tabs={views} class="shell-menu-views" />}
        <Account />
      </div>
    </div>
  );
}
