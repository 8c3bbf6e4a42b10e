// Memory for tests of the columns: a shared memory that grows, hands out dirty blocks and counts them.
import { BLOCK_BYTES, type BlockSource } from '../layout.ts';

const PAGE_BYTES = 65_536;
const PAGES_MAX = 4_096;

export class TestMemory implements BlockSource {
  readonly memory = new WebAssembly.Memory({ initial: 1, maximum: PAGES_MAX, shared: true });
  bytes = 0;

  readonly buffer = (): SharedArrayBuffer => bufferOf(this.memory);

  allocate(): number {
    const address = this.bytes;
    this.bytes += BLOCK_BYTES;
    if (this.bytes > this.buffer().byteLength) this.memory.grow(Math.max(1, PAGE_BYTES / BLOCK_BYTES));
    new Uint8Array(this.buffer(), address, BLOCK_BYTES).fill(0xaa);
    return address;
  }
}

/** The buffer of a memory that another thread may have grown. */
export function bufferOf(memory: WebAssembly.Memory): SharedArrayBuffer {
  memory.grow(0);
  if (memory.buffer instanceof SharedArrayBuffer) return memory.buffer;
  throw new Error('the memory is not shared');
}
