// How a staged namespace is named on disk: by a name that no caller can give, made of its owner and its name to be.

/** Names that callers give have no such character. */
const MARK = '\0';

/** The stored name of a staged namespace. */
export function stagedName(owner: string, namespace: string): string {
  return `${MARK}${owner}${MARK}${namespace}`;
}

export function isStagedName(name: string): boolean {
  return name.startsWith(MARK);
}

/** What `stagedName` was made of. */
export function partsOfStagedName(name: string): { readonly owner: string; readonly name: string } {
  const end = name.indexOf(MARK, MARK.length);
  return { owner: name.slice(MARK.length, end), name: name.slice(end + MARK.length) };
}
