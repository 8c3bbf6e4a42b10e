// Short turns for the serving thread. A thread that Linux has put on a core keeps it for a turn of some milliseconds, however low
// its priority, unless one with shorter turns wakes (6.12 on; docs/decisions/008-thread-priorities-and-failures.md).
import { getPriority } from 'node:os';
import { nativeModule } from '../../../platform/native/system-calls.ts';

/** The shortest there is. */
export const TURN_NANOSECONDS = 100_000;

/** Number of the call `sched_setattr`, by architecture. */
const SET_ATTRIBUTES: Readonly<Record<string, bigint>> = { x64: 314n, arm64: 274n };
const CALLING_THREAD = 0;
/** How threads are scheduled that nobody has given another way; others are left alone. */
const USUAL_POLICY = 0;
/** What this thread starts has turns of the usual length: readers with short ones would interrupt each other. */
const RESET_ON_FORK = 0x01;
/** The first form of `struct sched_attr`, which every Linux takes. */
const ATTRIBUTES_BYTES = 48;

/**
 * Lets this thread have a core as soon as it wakes, whoever of no higher priority holds it. Its own work is in small pieces, and everybody waits
 * for it. Nothing else of how it is scheduled changes.
 * @returns false where the system or the runtime has no such call; a Linux before 6.12 takes it, and does nothing
 */
export function takeShortTurns(): boolean {
  try {
    const ffi = nativeModule();
    const number = SET_ATTRIBUTES[process.arch];
    if (ffi === undefined || number === undefined) return false;
    const { functions } = ffi.dlopen(null, {
      sched_getscheduler: { arguments: ['i32'], return: 'i32' },
      syscall: { arguments: ['i64', 'i32', 'pointer', 'u32'], return: 'i64' },
    });
    if (functions.sched_getscheduler(CALLING_THREAD) !== USUAL_POLICY) return false;
    const attributes = attributesOf(getPriority());
    return functions.syscall(number, CALLING_THREAD, ffi.getRawPointer(attributes), 0) === 0n;
  } catch {
    // Not permitted, or the experimental module has changed its form.
    return false;
  }
}

function attributesOf(nice: number): Uint8Array {
  const attributes = new DataView(new ArrayBuffer(ATTRIBUTES_BYTES));
  attributes.setUint32(0, ATTRIBUTES_BYTES, true);
  attributes.setUint32(4, USUAL_POLICY, true);
  attributes.setBigUint64(8, BigInt(RESET_ON_FORK), true);
  attributes.setInt32(16, nice, true);
  attributes.setBigUint64(24, BigInt(TURN_NANOSECONDS), true);
  return new Uint8Array(attributes.buffer);
}
