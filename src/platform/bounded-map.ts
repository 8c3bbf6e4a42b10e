// Maps that remember the latest: what belongs to deleted projects must not pile up.

/** Sets an entry; where that makes more than `max` of them, the one that was added first is forgotten. */
export function setBounded<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, max: number): void {
  map.set(key, value);
  const [first] = map.keys();
  if (map.size > max && first !== undefined) map.delete(first);
}
