// System calls that the runtime does not offer, through its experimental FFI module (docs/decisions/015-native-calls.md).
// Only speed may depend on them: callers work without them.

import type * as Ffi from 'node:ffi';
import { closeSync, openSync, readSync } from 'node:fs';

/** Bytes of memory, as the system counts them. */
export interface MemoryRange {
  readonly address: bigint;
  readonly bytes: number;
}

export interface SystemCalls {
  /** Of a page: what ranges begin at a multiple of, where they are to be in whole pages. A power of two, up to 64 KiB. */
  readonly pageBytes: number;
  addressOf(memory: SharedArrayBuffer): bigint;
  /** @param advice one of `Advice`. @returns false when the system refuses */
  advise(range: MemoryRange, advice: number): boolean;
  /**
   * Maps bytes of an open file for reading, from a page boundary on. They may lie beyond the end of the file, but reading
   * them before the file has grown kills the process.
   * @returns null when the system refuses
   */
  mapFile(fd: number, from: number, bytes: number): MappedBytes | null;
  /**
   * Lets bytes of an open file take the place of memory that the caller owns, whose content is lost: what is written to
   * it goes to the file, and the system may drop it from memory. All is in whole pages, and the file must have the bytes
   * and their blocks: a write for which the disk has no room kills the process.
   * @returns false, and changes nothing, when the system refuses
   */
  mapOver(fd: number, from: number, range: MemoryRange): boolean;
  /**
   * The same, except that the file never changes: the pages that are written to stay in memory from then on. It need only
   * be open for reading.
   */
  mapCopyOver(fd: number, from: number, range: MemoryRange): boolean;
  /**
   * Lets new memory take the place of memory that the caller owns, which then holds no file any more. In whole pages.
   * @returns false, and changes nothing, when the system refuses
   */
  renew(range: MemoryRange): boolean;
}

export interface MappedBytes extends MemoryRange {
  readonly buffer: ArrayBuffer;
  /** Detaches the buffer. */
  unmap(): void;
}

/** Linux constants for `madvise`. */
export const Advice = {
  /** Random reads: no read-ahead. */
  Random: 1,
  /** Reads in order: much is read ahead. */
  Sequential: 2,
  /** Reads of pages that will be needed soon; they come in the background. */
  WillNeed: 3,
  /** Pages of 2 MB instead of 4 KB: from the first access on, or for used memory whenever the system gets to it. */
  LargePages: 14,
  /** The same for used memory, before the call returns. */
  LargePagesNow: 25,
  /** Out of memory and to its file, now; only measurements need it. */
  PageOut: 21,
} as const;

/** Linux constants for `mmap`. */
const PROT_READ = 1;
const PROT_WRITE = 2;
const MAP_SHARED = 1;
const MAP_PRIVATE = 2;
const MAP_FIXED = 16;
const MAP_ANONYMOUS = 32;
const MAP_NORESERVE = 16_384;
const NO_FILE = -1;
const ANYWHERE = 0n;
/** Memories of WebAssembly grow by so many bytes. */
const PAGE_BYTES_MAX = 65_536;
const MAP_FAILED = 2n ** 64n - 1n;

let known: SystemCalls | null | undefined;

/** The system calls of this thread; null on systems other than Linux, other runtimes, and where they are disabled. */
export function systemCalls(): SystemCalls | null {
  if (known === undefined) known = findSystemCalls();
  return known;
}

/** The runtime's FFI module, on supported systems. @throws where it is not permitted */
export function nativeModule(): typeof Ffi | undefined {
  const isKnown = process.platform === 'linux' && (process.arch === 'x64' || process.arch === 'arm64');
  return isKnown ? loadQuietly() : undefined;
}

function findSystemCalls(): SystemCalls | null {
  try {
    const ffi = nativeModule();
    if (ffi === undefined) return null;
    const calls = bindSystemCalls(ffi);
    return doTheirWork(calls) ? calls : null;
  } catch {
    // Not permitted, or the experimental interface has changed.
    return null;
  }
}

/** Tries all calls, so that no caller meets one that has changed: reads the first byte of the runtime's own file. */
function doTheirWork(calls: SystemCalls): boolean {
  const file = openSync(process.execPath, 'r');
  try {
    const first = new Uint8Array(1);
    readSync(file, first, 0, 1, 0);
    const mapped = calls.mapFile(file, 0, 1);
    if (mapped === null) return false;
    const isRead = new Uint8Array(mapped.buffer)[0] === first[0];
    const isAdvised = calls.advise(mapped, Advice.Random);
    mapped.unmap();
    return (
      isRead &&
      PAGE_BYTES_MAX % calls.pageBytes === 0 &&
      isAdvised &&
      mapped.buffer.byteLength === 0 &&
      calls.addressOf(new SharedArrayBuffer(1)) !== 0n
    );
  } finally {
    closeSync(file);
  }
}

/** Suppresses the runtime's warning that the module is experimental, which users need not read at each start. */
function loadQuietly(): typeof Ffi | undefined {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule?.('node:ffi');
  } finally {
    process.emitWarning = emitWarning;
  }
}

function bindSystemCalls(ffi: typeof Ffi): SystemCalls {
  const { functions } = ffi.dlopen(null, {
    madvise: { arguments: ['pointer', 'u64', 'i32'], return: 'i32' },
    mmap: { arguments: ['pointer', 'u64', 'i32', 'i32', 'i32', 'i64'], return: 'pointer' },
    munmap: { arguments: ['pointer', 'u64'], return: 'i32' },
    getpagesize: { arguments: [], return: 'i32' },
  });
  const { madvise, mmap, munmap, getpagesize } = functions;
  const replace = ({ address, bytes }: MemoryRange, flags: number, fd: number, from: number) =>
    mmap(address, BigInt(bytes), PROT_READ | PROT_WRITE, MAP_FIXED | flags, fd, BigInt(from)) === address;
  return {
    pageBytes: getpagesize(),
    addressOf: (memory) => ffi.getRawPointer(new Uint8Array(memory)),
    advise: ({ address, bytes }, advice) => madvise(address, BigInt(bytes), advice) === 0,
    mapOver: (fd, from, range) => replace(range, MAP_SHARED, fd, from),
    mapCopyOver: (fd, from, range) => replace(range, MAP_PRIVATE | MAP_NORESERVE, fd, from),
    renew: (range) => replace(range, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, NO_FILE, 0),
    mapFile: (fd, from, bytes) => {
      const address = mmap(ANYWHERE, BigInt(bytes), PROT_READ, MAP_SHARED, fd, BigInt(from));
      if (address === MAP_FAILED) return null;
      const buffer = ffi.toArrayBuffer(address, bytes, false);
      return {
        address,
        bytes,
        buffer,
        unmap: () => {
          // Views of the buffer become empty, so that nobody accesses unmapped memory.
          buffer.transfer(0);
          munmap(address, BigInt(bytes));
        },
      };
    },
  };
}
