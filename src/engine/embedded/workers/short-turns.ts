// Short time slices for the main thread. On Linux a running thread keeps its core for a slice of some milliseconds,
// however low its priority, unless a thread with a shorter slice wakes (since 6.12; see
// docs/decisions/008-thread-priorities-and-failures.md).
import { getPriority } from 'node:os';
import { nativeModule } from '../../../platform/native/system-calls.ts';

/** The shortest time slice that Linux accepts. */
export const TURN_NANOSECONDS = 100_000;

/** Number of the system call `sched_setattr`, by architecture. */
const SET_ATTRIBUTES: Readonly<Record<string, bigint>> = { x64: 314n, arm64: 274n };
const CALLING_THREAD = 0;
/** The default scheduling policy. Threads with another policy are left alone. */
const USUAL_POLICY = 0;
/** Threads started by this one get the default slice: readers with short ones would interrupt each other. */
const RESET_ON_FORK = 0x01;
/** Size of the first version of `struct sched_attr`, which every Linux accepts. */
const ATTRIBUTES_BYTES = 48;

/**
 * Lets this thread preempt threads of the same or lower priority as soon as it wakes, since it works in small steps
 * and all requests depend on it. Other scheduling attributes stay the same.
 * @returns false where the system or the runtime lacks the call; Linux before 6.12 accepts it without effect
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
    // Not permitted, or the experimental module has changed.
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
