// Pod types and how a pod index may grow.
import { invalid } from './faults.ts';

const FAMILIES = ['s1', 'p1', 'p2'] as const;
const SIZES = ['x1', 'x2', 'x4', 'x8'] as const;
export const POD_TYPES: readonly string[] = FAMILIES.flatMap((family) =>
  SIZES.map((size) => `${family}.${size}`),
);
export const DEFAULT_POD_TYPE = 'p1.x1';

/** Returns the full name of a pod type; a bare family means its smallest size. @throws invalid-argument */
export function podTypeNamed(name: string): string {
  const full = name.includes('.') ? name : `${name}.${SIZES[0]}`;
  if (!POD_TYPES.includes(full)) {
    throw invalid(`pod_type must be one of ${FAMILIES.join(', ')} followed by one of .${SIZES.join(', .')}.`);
  }
  return full;
}

/** Returns the pod type after a change. @throws invalid-argument when it would shrink or change family */
export function grownPodType(current: string, requested: string): string {
  const next = podTypeNamed(requested);
  const [family] = current.split('.');
  if (!next.startsWith(`${family}.`)) {
    throw invalid(
      `Bad request: Cannot change pod type. Current type is: ${family}; expected one of its sizes, got ${next}.`,
    );
  }
  if (POD_TYPES.indexOf(next) < POD_TYPES.indexOf(current)) {
    throw invalid(
      `Bad request: Cannot scale down an index, only up. Current pod_type is: ${current}, got ${next}.`,
    );
  }
  return next;
}

/** @throws invalid-argument */
export function checkPodCount(field: 'replicas' | 'shards' | 'pods', count: number): void {
  if (!Number.isSafeInteger(count) || count < 1) throw invalid(`${field} must be an integer of at least 1.`);
}
