// The keys of a constant table, with their type.

/** For tables whose type names all their keys; other objects may have more keys than their type. */
export function keysOf<Key extends string>(table: Readonly<Record<Key, unknown>>): readonly Key[] {
  return Object.keys(table) as Key[];
}
