// Which states of an index have vectors of its present source: not those during a re-embedding, nor those before its end.
import { fault } from '../faults.ts';
import { type Index, storageIdOf } from '../index-model.ts';
import { embeddingSlots } from './embedding-slots.ts';
import type { IndexEmbedding } from './index-embedding.ts';

type Embedded = Pick<Index, 'id' | 'storageId' | 'name' | 'embed' | 'documents' | 'dimension'>;

/** A state of the past: after a write, or at a moment in milliseconds since 1970. */
type PastState = { readonly lsn: number } | { readonly ms: number };

/** Vectors that are copied now could come behind a re-embedding. @throws reembedding-under-way */
export function refuseWhileRemade(index: Pick<Embedded, 'name' | 'embed' | 'documents' | 'dimension'>): void {
  if (embeddingSlots(index).some(({ embed }) => embed.remaking !== null))
    throw fault('reembedding-under-way', { index: index.name });
}

/** Whether an index had vectors of another source then. */
export function hadOtherVectors(
  index: Pick<Embedded, 'id' | 'storageId'>,
  { remade }: Pick<IndexEmbedding, 'remade'>,
  state: PastState,
): boolean {
  if (remade === undefined || remade.storageId !== storageIdOf(index)) return false;
  return 'lsn' in state ? state.lsn < remade.lsn : state.ms < remade.ms;
}

/** @throws embedded-since where an index had vectors of another source then */
export function refuseOtherVectors(
  index: Pick<Embedded, 'id' | 'storageId' | 'name'>,
  embed: Pick<IndexEmbedding, 'remade'>,
  state: PastState,
): void {
  if (embed.remade === undefined || !hadOtherVectors(index, embed, state)) return;
  const { lsn, ms } = embed.remade;
  throw fault('embedded-since', { index: index.name, lsn, time: new Date(ms).toISOString() });
}
