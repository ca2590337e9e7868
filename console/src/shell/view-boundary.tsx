// Catches an error in the code of a view. Another address gets another try.

import { Component, type ComponentChildren } from "preact";
import { BrokenView } from "./missing-view.tsx";

interface ViewBoundaryProps {
  /** Of the page. */
  readonly path: string;
  readonly children: ComponentChildren;
}

export class ViewBoundary extends Component<ViewBoundaryProps, { readonly brokenPath: string | null }> {
  override state = { brokenPath: null };

  override componentDidCatch(error: unknown) {
    console.error(error);
    this.setState({ brokenPath: this.props.path });
  }

  override render() {
    return this.state.brokenPath === this.props.path ? <BrokenView /> : this.props.children;
  }
}
