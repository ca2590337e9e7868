// Concurrent work with a limit.

/** Maps items in parallel, at most `limit` at once; results keep the order. A failure ends it, as with Promise.all. */
export async function mapAtOnce<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  const waiting = items.entries();
  const takeNext = async () => {
    // All workers take from the same iterator.
    for (const [i, item] of waiting) results[i] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, takeNext));
  return results;
}
