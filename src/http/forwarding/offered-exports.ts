// Exports that this node offers to another one, which fetches each once.

import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export class OfferedExports {
  readonly #offered = new Map<string, AsyncIterable<Uint8Array>>();

  /** @returns call it to take the offer back */
  offer(storageId: string, bytes: AsyncIterable<Uint8Array>): () => void {
    this.#offered.set(storageId, bytes);
    return () => {
      this.#offered.delete(storageId);
    };
  }

  has(storageId: string): boolean {
    return this.#offered.has(storageId);
  }

  /** Writes all of it, then ends the stream; destroys the stream where that fails. */
  async write(storageId: string, into: Writable): Promise<void> {
    const bytes = this.#offered.get(storageId);
    this.#offered.delete(storageId);
    if (bytes === undefined) throw new Error('nothing is offered');
    // A piece is valid until the next one is requested, but waits in buffers until it is sent.
    await pipeline(owned(bytes), into).catch(() => into.destroy());
  }
}

async function* owned(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes) yield Uint8Array.from(piece);
}
