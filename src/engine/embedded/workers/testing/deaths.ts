// Ways in which an engine thread of a test dies, chosen by the `die` parameter of a request.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unpackRequest } from '../../../../boot/engine/request-details.ts';
import type { ThreadTask } from '../task.ts';

/**
 * `throw`: by an uncaught exception. `exit`: at once. `memory`: out of heap. `never`: not at all, but it waits
 * forever. A second word, as in `exit once`, names a file that prevents a second death.
 */
export async function dieIfRequested(task: ThreadTask, dataDir: string): Promise<void> {
  const { params } = unpackRequest(task);
  const [way, token] = (params.die ?? '').split(' ');
  if (way === '' || way === 'commit') return;
  if (token !== undefined) {
    const marker = join(dataDir, `died-${token}`);
    if (existsSync(marker)) return;
    writeFileSync(marker, '');
  }
  if (way === 'exit') process.exit(1);
  if (way === 'throw')
    setImmediate(() => {
      throw new Error('broken');
    });
  if (way === 'memory')
    for (const hoard: unknown[] = []; ; ) hoard.push(new Array(1_000).fill(Math.random()));
  await new Promise(() => {});
}
