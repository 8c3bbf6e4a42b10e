// The real sets by name, and an index filled with one.
import type { InProcessIndex } from '../../src/engine/embedded/in-process-index.ts';
import { gloveSet } from './glove.ts';
import type { RealSet, SetSize } from './row-set.ts';
import { packagesSet, paragraphsSet } from './text-sets.ts';

const SETS: Readonly<Record<string, (size: SetSize) => Promise<RealSet>>> = {
  paragraphs: paragraphsSet,
  packages: packagesSet,
  glove: gloveSet,
};
export const SET_NAMES = Object.keys(SETS);
/** Records of a write. */
const BATCH = 1_000;

/** @throws for a name that is none of SET_NAMES */
export async function openSet(name: string, size: SetSize): Promise<RealSet> {
  const open = SETS[name];
  if (open === undefined) throw new Error(`no such set: ${name}`);
  return open(size);
}

/** Writes all records, whose ids are their positions. @param metadataOf of a position; null for none */
export async function fillIndex(
  { writer }: InProcessIndex,
  { base }: RealSet,
  metadataOf: (position: number) => object | null,
): Promise<void> {
  for (let first = 0; first < base.length; first += BATCH) {
    const records = base.slice(first, first + BATCH).map((values, at) => {
      const metadata = metadataOf(first + at);
      const metadataJson = metadata === null ? null : JSON.stringify(metadata);
      return { id: String(first + at), values, sparse: null, metadataJson };
    });
    await writer.upsert('', records);
  }
}
