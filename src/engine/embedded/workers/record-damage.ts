// What an engine thread does about a damaged record: reports it once to the main thread, and fails the request.
import { type Fault, fault } from '../../../domain/faults.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import type { DamageReport } from './protocol.ts';

/** Damaged records of an index that one thread reports; more say nothing new. */
const REPORTS_MAX = 1_000;

/** @returns makes the error for requests that need a damaged record */
export function recordDamage(
  { id, name }: IndexProfile,
  notify: (report: DamageReport) => void,
): (what: string) => Fault {
  const reported = new Set<string>();
  return (what) => {
    if (!reported.has(what) && reported.size < REPORTS_MAX) {
      reported.add(what);
      notify({ type: 'damage', indexId: id, kind: 'record', damage: what });
    }
    return fault('record-damaged', { name });
  };
}
