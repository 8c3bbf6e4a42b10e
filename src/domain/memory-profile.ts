// What of an index must be in memory to be searched.
import type { ProjectAccess } from './access.ts';
import { invalid } from './faults.ts';

/**
 * `memory`: all that searches compare. `disk`: links and a bit a component; the rest is read for the best alone, and the
 * system keeps of it what fits.
 */
export const MEMORY_PROFILES = ['memory', 'disk'] as const;
export type MemoryProfile = (typeof MEMORY_PROFILES)[number];

/** What an index has of a memory profile. */
export interface MemoryReport {
  /** That of the index itself; null for the server's default. */
  readonly profile: MemoryProfile | null;
  readonly inForce: MemoryProfile;
  /** Null when nothing of the index is in memory. */
  readonly bytes: { readonly memory: number; readonly disk: number } | null;
}

/** Calls on the memory profile of an index. Faults: index-not-found; `set` also invalid-argument and index-not-ready. */
export interface MemoryProfiles {
  describe(access: ProjectAccess, indexName: string): Promise<MemoryReport>;
  set(access: ProjectAccess, indexName: string, profile: MemoryProfile): Promise<MemoryReport>;
  /** Returns to the server's default. */
  end(access: ProjectAccess, indexName: string): Promise<void>;
}

/** @throws invalid-argument for another text */
export function memoryProfileOf(text: string): MemoryProfile {
  const known = MEMORY_PROFILES.find((each) => each === text);
  if (known === undefined) throw invalid(`profile must be one of ${MEMORY_PROFILES.join(', ')}`);
  return known;
}

/** Below this dimension a bit a component says too little, and rows are short. */
export const DISK_PROFILE_DIMENSION_MIN = 128;

/** The profile of an index, whose own may have come to it with a backup or from times of more dimensions. */
export function profileInForce(
  { dimension, memoryProfile }: { readonly dimension: number | null; readonly memoryProfile?: MemoryProfile },
  preset: MemoryProfile,
): MemoryProfile {
  return canBeOnDisk(dimension) ? (memoryProfile ?? preset) : 'memory';
}

/** True where an index of this dimension can be searched from disk; null is that of one without dense vectors. */
export function canBeOnDisk(dimension: number | null): boolean {
  return dimension !== null && dimension >= DISK_PROFILE_DIMENSION_MIN;
}
