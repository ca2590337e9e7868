// Takes the place of content that is loading, so that the layout does not move.

/** @param name what is loading, for screen readers */
export function Skeleton({ name, lines = 4 }: { readonly name: string; readonly lines?: number | undefined }) {
  return (
    <div class="skeleton" role="status" aria-busy="true">
      <span class="visually-hidden">Loading {name}</span>
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} class="skeleton-line" />
      ))}
    </div>
  );
}
