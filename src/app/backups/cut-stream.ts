// Cuts a stream into consecutive parts.

/**
 * Every part except the last has `partBytes` bytes; only an empty stream has an empty part. Callers read each part to
 * its end before they request the next.
 */
export async function* cutStream(
  stream: AsyncIterable<Uint8Array>,
  partBytes: number,
): AsyncGenerator<AsyncIterable<Uint8Array>, undefined> {
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
  async function* nextPart(): AsyncGenerator<Uint8Array, undefined> {
    for (let room = partBytes; room > 0; ) {
      const piece = await next();
      if (piece === undefined) return;
      if (piece.byteLength > room) pending = piece.subarray(room);
      const taken = piece.subarray(0, room);
      room -= taken.byteLength;
      yield taken;
    }
  }
  try {
    do {
      yield nextPart();
      // Reads ahead, so that the stream does not end with an empty part.
      pending ??= await next();
    } while (pending !== undefined);
  } finally {
    await source.return?.();
  }
  return undefined;
}
