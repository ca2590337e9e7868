// Stands for a view that could not be loaded or drawn. The rest of the console stays usable.

import { Button } from "../components/button.tsx";
import { EmptyState } from "../components/empty-state.tsx";
import { Page } from "../components/page.tsx";

/** The component in place of a view whose file did not arrive: the connection broke, or a new version was deployed. */
export function missingView(): typeof MissingView {
  return MissingView;
}

function MissingView() {
  return (
    <Page title="This page did not load">
      <EmptyState title="Its file could not be fetched. The connection may be down, or Dejavu was updated.">
        <ReloadButton />
      </EmptyState>
    </Page>
  );
}

/** After an error in the code of a view. */
export function BrokenView() {
  return (
    <Page title="This page cannot be shown">
      <EmptyState title="The console has a defect here. The command line and the API show the same data.">
        <ReloadButton />
      </EmptyState>
    </Page>
  );
}

function ReloadButton() {
  return <Button onClick={() => location.reload()}>Reload</Button>;
}
