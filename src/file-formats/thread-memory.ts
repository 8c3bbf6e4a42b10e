// The heap of a thread that reads or writes files.
import type { MemoryPart } from '../platform/machine-memory.ts';

/** A corrupt footer can make the Parquet library allocate without bound, which then ends the thread, not the server. */
export const FILE_THREAD_MEMORY: MemoryPart = { share: 0.2, mebibytesMin: 128, mebibytesMax: 384 };
