// Stands for a view that could not be loaded or drawn. The rest of the console stays usable.

import { Component, type ComponentChildren } from "preact";
import { Button } from "../components/button.tsx";
import { Page } from "../components/page.tsx";
import { EmptyState } from "../components/states.tsx";

/** The component in place of a view whose file did not arrive: the connection broke, or a new version was deployed. */
export function missingView(): () => ComponentChildren {
  return () => (
    <Replacement
      title="This page did not load"
      reason="Its file could not be fetched. The connection may be down, or Dejavu was updated."
    />
  );
}

function Replacement({ title, reason }: { readonly title: string; readonly reason: string }) {
  return (
    <Page title={title}>
      <EmptyState title={reason}>
        <Button onClick={() => location.reload()}>Reload</Button>
      </EmptyState>
    </Page>
  );
}

interface ViewBoundaryProps {
  /** Of the page. */
  readonly path: string;
  readonly children: ComponentChildren;
}

/** Catches an error in the code of a view. Another address gets another try. */
export class ViewBoundary extends Component<ViewBoundaryProps, { readonly brokenPath: string | null }> {
  override state = { brokenPath: null };

  override componentDidCatch(error: unknown) {
    console.error(error);
    this.setState({ brokenPath: this.props.path });
  }

  override render() {
    if (this.state.brokenPath !== this.props.path) return this.props.children;
    return (
      <Replacement
        title="This page cannot be shown"
        reason="The console has a defect here. The command line and the API show the same data."
      />
    );
  }
}
