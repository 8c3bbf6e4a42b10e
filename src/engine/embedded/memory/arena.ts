// The shared memory of one index: a WebAssembly memory cut into 64 KiB frames, which every engine thread maps.

export const FRAME_BYTES = 65_536;
/** WebAssembly's limit with 32-bit addresses. */
export const ARENA_FRAMES_MAX = 65_536;
/** Frame 0 stays unused, so that address 0 can mean "none". */
const HEADER_FRAME = 1;
/** Frames that an empty arena has. */
export const ARENA_FRAMES_MIN = HEADER_FRAME + 1;

/** Word in the header frame: how many structure deltas the writer has announced. */
const STRUCTURE_VERSION_WORD = (HEADER_FRAME * FRAME_BYTES) / 4;

export class Arena {
  readonly memory: WebAssembly.Memory;
  #u32: Uint32Array<SharedArrayBuffer>;
  #bytes: Buffer<SharedArrayBuffer> | null = null;

  constructor(memory: WebAssembly.Memory) {
    this.memory = memory;
    this.#u32 = new Uint32Array(memory.buffer);
  }

  /** @param framesMax limit below WebAssembly's 4 GiB @param frames initial size, at least ARENA_FRAMES_MIN */
  static create(framesMax = ARENA_FRAMES_MAX, frames = ARENA_FRAMES_MIN): Arena {
    return new Arena(new WebAssembly.Memory({ initial: frames, maximum: framesMax, shared: true }));
  }

  /**
   * Adds frames at the end. Any thread may call this, and owns what it gets.
   * @returns address of the first, or null when the memory cannot grow that much
   */
  grow(frames: number): number | null {
    try {
      return this.memory.grow(frames) * FRAME_BYTES;
    } catch {
      return null;
    }
  }

  /** The memory's words, at least up to `endByte` (other threads may have grown it). */
  words(endByte: number): Uint32Array<SharedArrayBuffer> {
    if (this.#u32.byteLength < endByte) {
      this.memory.grow(0);
      this.#u32 = new Uint32Array(this.memory.buffer);
    }
    return this.#u32;
  }

  /** The memory's bytes, at least up to `endByte` (other threads may have grown it). */
  bytes(endByte: number): Buffer<SharedArrayBuffer> {
    if (this.#bytes === null || this.#bytes.length < endByte)
      this.#bytes = Buffer.from(this.words(endByte).buffer);
    return this.#bytes;
  }

  /** The memory's buffer, at least up to `bytesMin` (other threads may have grown it). */
  bufferOf(bytesMin: number): SharedArrayBuffer {
    return this.words(bytesMin).buffer;
  }

  /** The memory's buffer as this thread knows it; contains everything that was announced to this thread. */
  get buffer(): SharedArrayBuffer {
    return this.memory.buffer;
  }

  /** Its current size in frames. */
  get frames(): number {
    return this.memory.buffer.byteLength / FRAME_BYTES;
  }

  get structureVersion(): number {
    return Atomics.load(this.#u32, STRUCTURE_VERSION_WORD);
  }

  /** Writer only: continues the version of an arena that this one replaces. */
  startStructureAt(version: number): void {
    Atomics.store(this.#u32, STRUCTURE_VERSION_WORD, version);
  }

  /** Writer only: called after the deltas of a version have been posted to every reader. */
  announceStructure(): void {
    Atomics.add(this.#u32, STRUCTURE_VERSION_WORD, 1);
  }
}
