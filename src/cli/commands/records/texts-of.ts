// Decodes a stream of UTF-8, strictly: what is of another encoding would be stored as damaged texts.
const NEWLINE = 0x0a;

/** The text of the pieces, without a byte order mark. @throws Error that names the line that is not UTF-8 */
export async function* textsOf(
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let line = 1;
  const decoded = (part?: Uint8Array) => {
    try {
      return decoder.decode(part, { stream: part !== undefined });
    } catch (error) {
      throw new Error(`line ${line} is not valid UTF-8`, { cause: error });
    }
  };
  for await (const piece of bytes) {
    let text = '';
    for (let from = 0; from < piece.byteLength; ) {
      const newline = piece.indexOf(NEWLINE, from);
      const end = newline < 0 ? piece.byteLength : newline + 1;
      text += decoded(piece.subarray(from, end));
      if (newline >= 0) line++;
      from = end;
    }
    yield text;
  }
  yield decoded();
}
