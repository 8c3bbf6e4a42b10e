// Assigns indexes to writer threads, identically in every thread for the life of the process.

/** Spreads index ids (UUIDs) evenly over `writers` threads. */
export function writerOf(indexId: string, writers: number): number {
  let hash = 0;
  for (let i = 0; i < indexId.length; i++) hash = (Math.imul(hash, 31) + indexId.charCodeAt(i)) >>> 0;
  return hash % writers;
}
