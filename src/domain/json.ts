// JSON values: the type of an object, its test, and text that remembers the type of what it holds.

/** A parsed JSON object; its members are not checked yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(json: unknown): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

/** The members of an object; none for anything else. */
export function membersOf(json: unknown): JsonObject {
  return isJsonObject(json) ? json : {};
}

/**
 * True when objects and lists are nested in more levels than that. JSON.parse does not recurse, but functions that
 * traverse its result may, and JSON.stringify does.
 */
export function isDeeperThan(levelsMax: number, json: unknown): boolean {
  if (typeof json !== 'object' || json === null) return false;
  if (levelsMax === 0) return true;
  const children: readonly unknown[] = Array.isArray(json) ? json : Object.values(json);
  for (let at = countLeadingNumbers(children); at < children.length; at++)
    if (isDeeperThan(levelsMax - 1, children[at])) return true;
  return false;
}

/** Lists of numbers may be nearly the whole text. A separate loop over them is five times as fast. */
function countLeadingNumbers(list: readonly unknown[]): number {
  let count = 0;
  while (count < list.length && typeof list[count] === 'number') count++;
  return count;
}

/** The text of a JSON value that does not depend on the order of members, which gRPC does not keep. */
export function canonicalText(json: unknown): string {
  return JSON.stringify(json, (_, value) =>
    isJsonObject(value) ? Object.fromEntries(Object.entries(value).sort(byName)) : value,
  );
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}

declare const CONTENT: unique symbol;

/** JSON text that this program wrote of a `Content`, and keeps where nobody else writes. */
export type JsonText<Content> = string & { readonly [CONTENT]: Content };

export function jsonText<Content>(content: Content): JsonText<Content> {
  // The mark exists for the compiler only; a string cannot carry it.
  return JSON.stringify(content) as JsonText<Content>;
}

/** Trusts the text: its type says who wrote it. */
export function parseJsonText<Content>(text: JsonText<Content>): Content {
  return JSON.parse(text);
}

/**
 * Parses text that this program wrote itself: only it writes there, or a signature or checksum has proved it.
 * @throws SyntaxError
 */
export function parseOwnJson<Content>(text: string): Content {
  return JSON.parse(text);
}
