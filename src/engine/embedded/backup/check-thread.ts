// Checks an index in a copying thread, while its writer keeps what is read from being reused.
import { setImmediate } from 'node:timers/promises';
import { fault } from '../../../domain/faults.ts';
import type { IndexCheck } from '../../../domain/integrity/index-check.ts';
import type { ServedCall } from '../../../platform/worker-channel/served-call.ts';
import { indexFolder } from '../storage/index-files.ts';
import { checkIndex } from '../storage/integrity/check-index.ts';
import { IndexSnapshot } from './index-snapshot.ts';
import type { CheckTask, CopyMethods } from './protocol.ts';
import { SnapshotGuard } from './snapshot-guard.ts';

/** Interval between reports of progress. */
const REPORT_MS = 200;

/** @throws Fault, CopyFailed overtaken or interrupted, the call's abortion */
export async function checkInThread(
  { dataDir, profile, hold }: CheckTask,
  call: ServedCall<CopyMethods['check']>,
): Promise<IndexCheck> {
  const folder = indexFolder(dataDir, profile.id);
  let snapshot: IndexSnapshot | null = null;
  try {
    const guard = hold === null ? null : new SnapshotGuard(hold, { folder, indexName: profile.name });
    // Keeps pages from being reused; the pin keeps rows.
    if (hold !== null) snapshot = new IndexSnapshot(profile, folder);
    const steps = checkIndex(folder, { indexId: profile.id, dimension: profile.dimension });
    for (let reported = 0; ; ) {
      const { done, value } = steps.next();
      if (done === true) return relative(value, folder);
      if (performance.now() - reported > REPORT_MS) {
        reported = performance.now();
        call.note(value);
      }
      await setImmediate();
      call.signal.throwIfAborted();
      guard?.assertSmall();
    }
  } catch (error) {
    const isGone = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw isGone ? fault('index-not-found', { name: profile.name }) : error;
  } finally {
    await snapshot?.close();
  }
}

/** Where the files lie on the server is nobody's business. */
function relative(check: IndexCheck, folder: string): IndexCheck {
  const shorten = (text: string) => text.replaceAll(`${folder}/`, '').replaceAll(folder, 'the index');
  return { ...check, problems: check.problems.map(shorten), derived: check.derived.map(shorten) };
}
