// Decides which of two body forms a caller used: that up to 2026-04, or that since.
import { isAtLeast, type RequestedVersion } from '../../../domain/api-version.ts';
import { invalid } from '../../../domain/faults.ts';

export interface TellingKeys {
  readonly older: readonly string[];
  readonly newer: readonly string[];
}

/**
 * Decides by keys that only one form has, or else by the version.
 * @throws invalid-argument when a body has keys of both
 */
export function chooseBody(body: unknown, version: RequestedVersion, keys: TellingKeys): 'older' | 'newer' {
  const given = typeof body === 'object' && body !== null ? presentKeys(body) : [];
  const older = keys.older.filter((key) => given.includes(key));
  const newer = keys.newer.filter((key) => given.includes(key));
  if (older.length > 0 && newer.length > 0) {
    throw invalid(
      `The body mixes two forms: ${older.join(', ')} cannot be combined with ${newer.join(', ')}.`,
    );
  }
  if (older.length > 0) return 'older';
  return newer.length > 0 || isAtLeast(version, '2026-07') ? 'newer' : 'older';
}

function presentKeys(body: object): readonly string[] {
  return Object.entries(body).flatMap(([key, value]) => (value === null ? [] : [key]));
}
