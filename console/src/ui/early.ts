// Reads that begin before the component that shows them is there: its code is then loaded meanwhile.

/** Long enough for the code of a page on a slow network; what is older may have changed. */
const KEPT_MS = 10_000;

interface EarlyRead {
  readonly begunAt: number;
  readonly result: Promise<unknown>;
}

const reads = new Map<string, EarlyRead>();

/** Begins to read what `useResource` of the same key will read first. Its failure is told there. */
export function readEarly(key: string, read: () => Promise<unknown>): void {
  const result = read();
  result.catch(() => undefined);
  reads.set(key, { begunAt: Date.now(), result });
}

/**
 * What was begun for a key, once; undefined where nothing was, or too long ago.
 * @typeParam Value what the key's reader reads
 */
export function takeEarly<Value>(key: string): Promise<Value> | undefined {
  const early = reads.get(key);
  reads.delete(key);
  // The key names what is read, and so its type.
  return early === undefined || Date.now() - early.begunAt > KEPT_MS
    ? undefined
    : (early.result as Promise<Value>);
}
