// Where a text may be cut.

/** The place, or the one before it where it is inside a surrogate pair, whose halves are no text by themselves. */
export function wholeCharacters(text: string, place: number): number {
  const isInside = (text.codePointAt(place - 1) ?? 0) > 0xffff;
  return isInside ? place - 1 : place;
}
