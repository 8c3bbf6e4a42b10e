// Cuts a stream into consecutive parts that are read one after the other.

export interface StreamPart {
  /** To be read to its end before the next part is asked for. */
  readonly content: AsyncIterable<Uint8Array>;
  /** Bytes read so far. */
  readonly bytes: () => number;
}

/** Every part but the last has `partBytes` bytes; no part is empty but the only one of an empty stream. */
export async function* cutStream(
  stream: AsyncIterable<Uint8Array>,
  partBytes: number,
): AsyncGenerator<StreamPart, undefined> {
  const source = stream[Symbol.asyncIterator]();
  let pending: Uint8Array | undefined;
  let ended = false;
  const next = async (): Promise<Uint8Array | undefined> => {
    const piece = pending ?? (ended ? undefined : await pull());
    pending = undefined;
    return piece;
  };
  const pull = async (): Promise<Uint8Array | undefined> => {
    for (;;) {
      const step = await source.next();
      ended = step.done === true;
      if (step.done === true) return undefined;
      if (step.value.byteLength > 0) return step.value;
    }
  };
  async function* partFrom(count: { bytes: number }): AsyncGenerator<Uint8Array, undefined> {
    while (count.bytes < partBytes) {
      const piece = await next();
      if (piece === undefined) return;
      const room = partBytes - count.bytes;
      if (piece.byteLength > room) pending = piece.subarray(room);
      const taken = piece.subarray(0, room);
      count.bytes += taken.byteLength;
      yield taken;
    }
  }
  try {
    do {
      const count = { bytes: 0 };
      yield { content: partFrom(count), bytes: () => count.bytes };
      // Looked at ahead, so that the stream does not end with an empty part.
      pending ??= await next();
    } while (pending !== undefined);
  } finally {
    await source.return?.();
  }
  return undefined;
}
