// Buffers that frames are made in, used again once they come back: what is left to the garbage collector stops the thread that received it.

/** Before every payload. */
export const HEADER_BYTES = 40;
/** A payload's usual size before it shrinks. Single table entries may be longer. */
export const FRAME_BYTES = 2 ** 20;
const ROOM_BYTES = HEADER_BYTES + FRAME_BYTES;
/** More than are ever under way at a time. */
const SPARE_MAX = 8;

export class FrameBuffers {
  readonly #spare: ArrayBuffer[] = [];

  /** Room for a header and a payload of so many bytes, which may hold anything. */
  take(bytes: number): Buffer<ArrayBuffer> {
    const length = HEADER_BYTES + bytes;
    if (length > ROOM_BYTES) return Buffer.from(new ArrayBuffer(length));
    return Buffer.from(this.#spare.pop() ?? new ArrayBuffer(ROOM_BYTES), 0, length);
  }

  /** The buffer of a room, which nobody uses any more. */
  recycle(buffer: ArrayBuffer): void {
    if (buffer.byteLength === ROOM_BYTES && this.#spare.length < SPARE_MAX) this.#spare.push(buffer);
  }
}
