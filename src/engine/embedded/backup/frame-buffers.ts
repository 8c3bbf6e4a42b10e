// A pool of buffers for frames. Without reuse, garbage collection would block the thread that receives the frames.

/** Length of the header before every payload. */
export const HEADER_BYTES = 40;
/** Usual size of a payload before compression. Single table entries may be longer. */
export const FRAME_BYTES = 2 ** 20;
const BUFFER_BYTES = HEADER_BYTES + FRAME_BYTES;
/** More than are ever in use at a time. */
const SPARE_MAX = 8;

export class FrameBuffers {
  readonly #spare: ArrayBuffer[] = [];

  /** A buffer for a header and a payload of so many bytes; its content is undefined. */
  take(bytes: number): Buffer<ArrayBuffer> {
    const length = HEADER_BYTES + bytes;
    if (length > BUFFER_BYTES) return Buffer.from(new ArrayBuffer(length));
    return Buffer.from(this.#spare.pop() ?? new ArrayBuffer(BUFFER_BYTES), 0, length);
  }

  /** Returns a buffer that nobody uses any more. */
  recycle(buffer: ArrayBuffer): void {
    if (buffer.byteLength === BUFFER_BYTES && this.#spare.length < SPARE_MAX) this.#spare.push(buffer);
  }
}
