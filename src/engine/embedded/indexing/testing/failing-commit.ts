// Transactions that fail at their end, as on a full disk; for tests.
import type { InProcessIndex } from '../../in-process-index.ts';

export const DISK_FULL = Object.assign(new Error('ENOSPC: no space left on device, write'), {
  code: 'ENOSPC',
});

/** Lets all transactions of an index fail at their end. @returns what mends it */
export function failingCommit({ parts }: InProcessIndex, error: Error = DISK_FULL): () => void {
  const { env } = parts.files.store;
  const original = env.transactionSync.bind(env);
  Object.defineProperty(env, 'transactionSync', {
    configurable: true,
    value: <Result>(steps: () => Result) =>
      original(() => {
        steps();
        throw error;
      }),
  });
  return () => void Reflect.deleteProperty(env, 'transactionSync');
}
