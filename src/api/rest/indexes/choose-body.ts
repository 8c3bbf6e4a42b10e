// Decides which of two body forms a caller used: that up to 2026-04, or that since.
import { isAtLeast, type RequestedVersion } from '../../../domain/api-version.ts';
import { invalid } from '../../../domain/faults.ts';
import { isJsonObject } from '../../../domain/json.ts';

export interface TellingKeys {
  readonly older: readonly string[];
  readonly newer: readonly string[];
}

export interface ChosenBody {
  readonly form: 'older' | 'newer';
  /** Without keys of the other form, which may only be null: null counts as absent there, too. */
  readonly body: unknown;
}

/**
 * Decides by keys that only one form has, or else by the version.
 * @throws invalid-argument when a body has keys of both
 */
export function chooseBody(body: unknown, version: RequestedVersion, keys: TellingKeys): ChosenBody {
  const form = formOf(body, version, keys);
  if (!isJsonObject(body)) return { form, body };
  const absent = new Set(form === 'older' ? keys.newer : keys.older);
  return { form, body: Object.fromEntries(Object.entries(body).filter(([key]) => !absent.has(key))) };
}

function formOf(body: unknown, version: RequestedVersion, keys: TellingKeys): ChosenBody['form'] {
  const given = isJsonObject(body) ? presentKeys(body) : [];
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
