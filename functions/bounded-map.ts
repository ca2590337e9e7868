// Owns how what an isolate keeps in mind stays small, whoever calls.

/** Sets an entry, the newest; past `most` the one that was set longest ago leaves. */
export function setBounded<K, V>(map: Map<K, V>, key: K, value: V, most: number): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= most) break;
    map.delete(oldest);
  }
}
