// The shell of the console: navigation, the views by address, sign-in, keys and messages.

import { useSignal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import { ErrorBoundary } from "preact-iso/lazy";
import { LocationProvider, Route, Router, useLocation } from "preact-iso/router";
import { unauthorized } from "../api/client.ts";
import { Dialog } from "../components/dialog.tsx";
import { Page } from "../components/page.tsx";
import { EmptyState, FailedState, Skeleton } from "../components/states.tsx";
import { Toasts } from "../components/toast.tsx";
import { BASE, consolePath } from "../format/console-path.ts";
import { currentKeys, type Key, listenToKeys, useKeys } from "../keyboard/keys.ts";
import { endSession, loadSession, session, sessionState } from "../session/session.ts";
import { SignIn } from "../views/sign-in/sign-in.tsx";
import { ViewBoundary } from "./missing-view.tsx";
import { Navigation } from "./navigation.tsx";
import { Palette } from "./palette.tsx";
import { isAllowed, namedViews, VIEWS } from "./views.ts";

export function App() {
  useLayoutEffect(() => {
    unauthorized.react = endSession;
    // A link that is opened in this tab changes only the hash: the browser does not load the page again.
    const followLink = () => {
      if (location.hash.startsWith("#code=")) void loadSession();
    };
    addEventListener("hashchange", followLink);
    const stopKeys = listenToKeys();
    return () => {
      removeEventListener("hashchange", followLink);
      stopKeys();
    };
  }, []);
  return (
    <LocationProvider scope={BASE}>
      <a class="skip-link" href="#content">
        Skip to the content
      </a>
      <Content />
      <Toasts />
      <KeyHelp />
      {session.value !== null && <Palette />}
    </LocationProvider>
  );
}

function Content() {
  const state = sessionState.value;
  if (state.status === "signed-out" && state.ended === null) return <SignIn failure={state.failure} />;
  return (
    <>
      <Navigation />
      <main id="content" tabindex={-1}>
        {state.status === "loading" && (
          <div class="page">
            <Skeleton name="the console" lines={8} />
          </div>
        )}
        {state.status === "unreachable" && (
          <div class="page">
            <FailedState failure={state.failure} retry={loadSession} />
          </div>
        )}
        {(state.status === "signed-in" || state.status === "signed-out") && <Views />}
      </main>
      {state.status === "signed-out" && <SignIn isDialog failure={state.failure} />}
    </>
  );
}

function Views() {
  const { path } = useLocation();
  return (
    <ViewBoundary path={path}>
      {/* Waits for the files of a view. */}
      <ErrorBoundary>
        <Router onRouteChange={announceView}>
          {VIEWS.filter(isAllowed).map((view) => (
            <Route key={view.path} path={consolePath(view.path)} component={view.component} />
          ))}
          <Route default component={NothingHere} />
        </Router>
      </ErrorBoundary>
    </ViewBoundary>
  );
}

/** Moves the focus to the new view's field, or to its heading: a screen reader reads it, and the tab order starts there. */
function announceView(): void {
  const first =
    document.querySelector<HTMLElement>("#content [data-focus-first]") ??
    document.querySelector<HTMLElement>("#content h1");
  first?.focus({ preventScroll: true });
}

function NothingHere() {
  const [first] = namedViews();
  return (
    <Page title="Nothing here">
      <EmptyState title="There is no such page, or your token does not allow it.">
        {first !== undefined && <a href={first.href}>Go to {first.name}</a>}
      </EmptyState>
    </Page>
  );
}

/** The list of keys, and the keys that every view has. */
function KeyHelp() {
  const isOpen = useSignal(false);
  const views = namedViews().map(({ key, name, href }): Key => {
    // As a press on the link: unsaved changes ask first.
    const run = () => document.querySelector<HTMLElement>(`.shell-nav [href="${href}"]`)?.click();
    return { keys: `g ${key}`, name: `Go to ${name}`, run };
  });
  useKeys([...views, { keys: "?", name: "Show the keys", run: () => (isOpen.value = !isOpen.value) }]);
  if (!isOpen.value) return null;
  return (
    <Dialog title="Keys" onClose={() => (isOpen.value = false)}>
      <dl class="named-facts">
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
