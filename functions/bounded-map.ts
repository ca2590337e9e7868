// A size limit for maps that live as long as the isolate.

/** Sets an entry as the newest. Above `limit` entries the oldest are deleted. */
export function setBounded<K, V>(map: Map<K, V>, key: K, value: V, limit: number): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= limit) break;
    map.delete(oldest);
  }
}
