// The names of staged namespaces on disk: made of owner and future name, and impossible as names from callers.

/** No name from a caller contains this character. */
const MARK = '\0';

/** The stored name of a staged namespace. */
export function stagedName(owner: string, namespace: string): string {
  return `${MARK}${owner}${MARK}${namespace}`;
}

export function isStagedName(name: string): boolean {
  return name.startsWith(MARK);
}

/** The owner and name in a staged name. */
export function partsOfStagedName(name: string): { readonly owner: string; readonly name: string } {
  const end = name.indexOf(MARK, MARK.length);
  return { owner: name.slice(MARK.length, end), name: name.slice(end + MARK.length) };
}
