// Cuts a stream of pieces of any size into parts of a given size; the last may be shorter.

/** @param sizeOf bytes of a part by its number, from 0 */
export async function* inParts(
  content: AsyncIterable<Uint8Array>,
  sizeOf: (number: number) => number,
): AsyncGenerator<Buffer, undefined> {
  let number = 0;
  let pending: Uint8Array[] = [];
  let missing = sizeOf(0);
  for await (const piece of content) {
    let rest = piece;
    while (rest.byteLength >= missing) {
      yield Buffer.concat([...pending, rest.subarray(0, missing)]);
      rest = rest.subarray(missing);
      number += 1;
      pending = [];
      missing = sizeOf(number);
    }
    if (rest.byteLength > 0) {
      pending.push(rest);
      missing -= rest.byteLength;
    }
  }
  if (pending.length > 0) yield Buffer.concat(pending);
  return undefined;
}
