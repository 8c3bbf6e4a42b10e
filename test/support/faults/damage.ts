// Ways in which a file of a data directory is damaged, at random positions.
import { copyFileSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import type { Random } from '../random.ts';

export const DAMAGES = [
  'bit flips',
  'zeroed page',
  'torn page',
  'truncation',
  'deletion',
  'foreign file',
  'stale copy',
] as const;
export type Damage = (typeof DAMAGES)[number];

const PAGE_BYTES = 4_096;
const BITS_MAX = 20;
const FOREIGN_BYTES_MAX = 100_000;

export interface DamagedFile {
  /** The file to damage. */
  readonly path: string;
  /** The same file as it was some writes ago; it may be missing. */
  readonly older: string;
  /** A file of the same kind that belongs elsewhere; undefined where there is none. */
  readonly foreign: string | undefined;
}

/** Damages the file. @returns false when the damage changes nothing */
export function damageFile({ path, older, foreign }: DamagedFile, damage: Damage, random: Random): boolean {
  const before = readFileSync(path);
  apply({ path, older, foreign }, damage, { before, random });
  return !existsSync(path) || !readFileSync(path).equals(before);
}

function apply(
  { path, older, foreign }: DamagedFile,
  damage: Damage,
  { before, random }: { readonly before: Buffer; readonly random: Random },
): void {
  const bytes = Buffer.from(before);
  const page = PAGE_BYTES * random.below(Math.max(1, Math.ceil(bytes.length / PAGE_BYTES)));
  switch (damage) {
    case 'bit flips': {
      const count = 1 + random.below(BITS_MAX);
      for (let i = 0; i < count && bytes.length > 0; i++) {
        const at = random.below(bytes.length);
        bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
      }
      writeFileSync(path, bytes);
      break;
    }
    case 'zeroed page':
      writeFileSync(path, bytes.fill(0, page, Math.min(bytes.length, page + PAGE_BYTES)));
      break;
    case 'torn page': {
      // The second part of the page is of another page, as when a write stopped in the middle.
      const tear = page + 512 * (1 + random.below(7));
      const source = PAGE_BYTES * random.below(Math.max(1, Math.ceil(bytes.length / PAGE_BYTES)));
      const other = before.subarray(source + (tear - page), source + PAGE_BYTES);
      if (tear < bytes.length) bytes.set(other.subarray(0, bytes.length - tear), tear);
      writeFileSync(path, bytes);
      break;
    }
    case 'truncation':
      truncateSync(path, random.below(bytes.length + 1));
      break;
    case 'deletion':
      rmSync(path);
      break;
    case 'foreign file':
      if (foreign !== undefined) copyFileSync(foreign, path);
      else {
        const noise = Buffer.alloc(random.below(FOREIGN_BYTES_MAX));
        for (let i = 0; i < noise.length; i++) noise[i] = random.below(256);
        writeFileSync(path, noise);
      }
      break;
    case 'stale copy':
      if (existsSync(older)) copyFileSync(older, path);
      break;
  }
}
