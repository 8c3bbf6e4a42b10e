// The keys of a folder in bytewise order from a cursor on, reading one folder at a time.
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isCode, unavailable } from './disk.ts';

/** Keys that start with `prefix` and come after `cursor`. */
export async function* keysFrom(root: string, prefix: string, cursor: string | null): AsyncIterable<string> {
  const slash = prefix.lastIndexOf('/') + 1;
  yield* below(join(root, ...prefix.slice(0, slash).split('/')), prefix.slice(0, slash), { prefix, cursor });
}

interface Wanted {
  readonly prefix: string;
  readonly cursor: string | null;
}

async function* below(folder: string, base: string, requested: Wanted): AsyncIterable<string> {
  for (const entry of await entriesOf(folder)) {
    const key = `${base}${entry.name}`;
    if (entry.name.startsWith('.')) continue;
    if (entry.isDirectory()) {
      if (mayHold(`${key}/`, requested)) yield* below(join(folder, entry.name), `${key}/`, requested);
    } else if (key.startsWith(requested.prefix) && (requested.cursor === null || key > requested.cursor))
      yield key;
  }
}

function mayHold(base: string, { prefix, cursor }: Wanted): boolean {
  if (!base.startsWith(prefix) && !prefix.startsWith(base)) return false;
  return cursor === null || base > cursor || cursor.startsWith(base);
}

/** Sorts entries by their keys: a folder counts as its name with a slash. */
async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.sort((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1));
  } catch (error) {
    // Missing or a file: no key has the prefix.
    if (isCode(error, 'ENOENT') || isCode(error, 'ENOTDIR')) return [];
    throw unavailable(error);
  }
}

function sortKey(entry: Dirent): string {
  return entry.isDirectory() ? `${entry.name}/` : entry.name;
}
