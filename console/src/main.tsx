// Entry point of the console.

// The styles of a view come after those that all views have.
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/components.css";
import { render } from "preact";
import { showToast } from "./components/toast.tsx";
import { consolePath } from "./format/console-path.ts";
import { loadSession } from "./session/session.ts";
import { App } from "./shell/app.tsx";
import { preloadView } from "./shell/views.ts";

// The router cannot read a broken escape, such as `%ZZ`.
try {
  decodeURIComponent(location.pathname);
} catch {
  history.replaceState(null, "", consolePath("/nothing"));
}

// Of a view, a dialog or a library. Views also say so in their place.
addEventListener("vite:preloadError", () =>
  showToast("A part of the page did not load. Reload the page.", { isFailure: true }),
);

// At once, and side by side: each waits for an answer from far.
void loadSession();
preloadView(location.pathname);

const root = document.getElementById("console");
if (root !== null) render(<App />, root);
