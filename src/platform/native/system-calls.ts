// Calls of the system that the runtime has no words of its own for, by its experimental module of native calls
// (docs/decisions/015-native-calls.md). Only speed may depend on them: where they are missing, their callers do without.

import type * as Ffi from 'node:ffi';
import { closeSync, openSync } from 'node:fs';

/** Bytes of memory, as the system counts them. */
export interface MemoryRange {
  readonly address: bigint;
  readonly bytes: number;
}

export interface SystemCalls {
  addressOf(memory: SharedArrayBuffer): bigint;
  /** @param advice one of `Advice`. @returns false when the system refuses */
  advise(range: MemoryRange, advice: number): boolean;
  /**
   * Maps bytes of an open file, from a page's border on, for reading. They may lie beyond its end, but are not to be
   * touched until the file has them, or the process dies.
   * @returns null when the system refuses
   */
  mapFile(fd: number, from: number, bytes: number): MappedBytes | null;
}

export interface MappedBytes extends MemoryRange {
  readonly buffer: ArrayBuffer;
  /** Afterwards the buffer has no bytes any more. */
  unmap(): void;
}

/** Numbers of Linux, for `madvise`. */
export const Advice = {
  /** Reads come from anywhere: each brings in its page alone. */
  Random: 1,
  /** Pages of 2 MB instead of 4 KB: where nothing is yet, from the first touch on, else whenever the system comes to it. */
  LargePages: 14,
  /** The same for what is there, before the call returns. */
  LargePagesNow: 25,
} as const;

/** Numbers of Linux, for `mmap`. */
const PROT_READ = 1;
const MAP_SHARED = 1;
const ANYWHERE = 0n;
const MAP_FAILED = 2n ** 64n - 1n;

const FIRST_BYTE = '/'.charCodeAt(0);

let known: SystemCalls | null | undefined;

/** The same for all of a thread; null on other systems than Linux, under other runtimes, and where they are switched off. */
export function systemCalls(): SystemCalls | null {
  if (known === undefined) known = findSystemCalls();
  return known;
}

/** The runtime's module of native calls, on systems whose calls are known here. @throws where it is not permitted */
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
    // Not permitted, or the experiment has changed its form.
    return null;
  }
}

/** Tries all of them, so that no caller meets one that has changed: reads the first byte of this file, which is a comment. */
function doTheirWork(calls: SystemCalls): boolean {
  const file = openSync(new URL(import.meta.url), 'r');
  try {
    const mapped = calls.mapFile(file, 0, 1);
    if (mapped === null) return false;
    const isRead = new Uint8Array(mapped.buffer)[0] === FIRST_BYTE;
    const isAdvised = calls.advise(mapped, Advice.Random);
    mapped.unmap();
    return (
      isRead &&
      isAdvised &&
      mapped.buffer.byteLength === 0 &&
      calls.addressOf(new SharedArrayBuffer(1)) !== 0n
    );
  } finally {
    closeSync(file);
  }
}

/** The runtime announces the module as experimental, which users should not have to read at each start. */
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
  });
  const { madvise, mmap, munmap } = functions;
  return {
    addressOf: (memory) => ffi.getRawPointer(new Uint8Array(memory)),
    advise: ({ address, bytes }, advice) => madvise(address, BigInt(bytes), advice) === 0,
    mapFile: (fd, from, bytes) => {
      const address = mmap(ANYWHERE, BigInt(bytes), PROT_READ, MAP_SHARED, fd, BigInt(from));
      if (address === MAP_FAILED) return null;
      const buffer = ffi.toArrayBuffer(address, bytes, false);
      return {
        address,
        bytes,
        buffer,
        unmap: () => {
          // Whoever still holds a view of it finds it empty, and touches no memory that is gone.
          buffer.transfer(0);
          munmap(address, BigInt(bytes));
        },
      };
    },
  };
}
