// Vectors as people type them.
import { type Io, misuse, type ParsedWords } from '../../command.ts';
import { readWhole } from './read-rows.ts';

export interface TypedVector {
  readonly kind: 'dense' | 'sparse';
  readonly json: unknown;
}

/**
 * `[0.1, 0.2]`, `0.1,0.2` or {"indices": ..., "values": ...}; `-` reads it from a pipe. Null where it is not given.
 * @throws CliProblem
 */
export async function vectorOption(words: ParsedWords, name: string, io: Io): Promise<TypedVector | null> {
  const given = words.text(name);
  if (given === undefined) return null;
  const text = (given === '-' ? await readWhole(given, io) : given).trim();
  try {
    const json: unknown = JSON.parse(/^[[{]/.test(text) ? text : `[${text}]`);
    return { kind: Array.isArray(json) ? 'dense' : 'sparse', json };
  } catch {
    throw misuse(`--${name} must be a list of numbers, or {"indices": [...], "values": [...]}.`);
  }
}
