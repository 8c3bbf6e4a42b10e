// How much memory this process may take, and what shares its parts get of it.
import { totalmem } from 'node:os';

const MEBIBYTE = 2 ** 20;
/** What the server takes before it has anything to do: docs/sizing.md. */
export const IDLE_MEBIBYTES = 256;

/** Of the machine, or of its control group where that has less. */
export function memoryMebibytes(): number {
  // 0 means no bound; without one, some systems report a bound larger than the memory.
  return Math.floor(Math.min(totalmem(), process.constrainedMemory() || totalmem()) / MEBIBYTE);
}

export interface MemoryPart {
  /** Of what an idle server leaves. */
  readonly share: number;
  readonly mebibytesMin: number;
  readonly mebibytesMax: number;
}

/** In MiB. */
export function partOfMemory(
  { share, mebibytesMin, mebibytesMax }: MemoryPart,
  mebibytes: number = memoryMebibytes(),
): number {
  const part = Math.floor((mebibytes - IDLE_MEBIBYTES) * share);
  return Math.min(mebibytesMax, Math.max(mebibytesMin, part));
}
