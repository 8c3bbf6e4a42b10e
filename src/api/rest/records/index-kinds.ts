// Refuses operations that pod-based indexes do not support.
import { fault } from '../../../domain/faults.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';

/** @throws wrong-index-kind on pod-based indexes; `operation` starts the sentence */
export function refusePods(index: IndexProfile, operation: string): void {
  if (index.kind !== 'pod') return;
  throw fault('wrong-index-kind', {
    reason: `${operation} is supported on serverless indexes only; ${index.name} is a pod-based index`,
  });
}
