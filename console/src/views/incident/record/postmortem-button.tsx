// Downloads the draft of a postmortem.

import { useSignal } from "@preact/signals";
import { api } from "../../../api/client.ts";
import { settle } from "../../../api/failure.ts";
import { Button } from "../../../components/button.tsx";
import { showToast } from "../../../components/toast.tsx";

/** Some browsers read the text after the click. */
const READABLE_MS = 10_000;

export function PostmortemButton({ id }: { readonly id: string }) {
  const isBusy = useSignal(false);
  const download = async () => {
    isBusy.value = true;
    const result = await settle(api.GET("/v1/incidents/{id}/postmortem", { params: { path: { id } } }));
    isBusy.value = false;
    if (!result.ok) return showToast(`No draft: ${result.failure.detail}`, { isFailure: true });
    saveAs(`postmortem-${id.slice(0, 8)}.md`, result.data.markdown);
  };
  return (
    <Button isBusy={isBusy.value} title="Download a draft in Markdown" onClick={() => void download()}>
      Postmortem
    </Button>
  );
}

function saveAs(name: string, markdown: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([markdown], { type: "text/markdown" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), READABLE_MS);
}
