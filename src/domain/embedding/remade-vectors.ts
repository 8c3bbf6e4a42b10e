// Which states of an index have vectors of its present source: not those during a re-embedding, nor those before its end.
import { fault } from '../faults.ts';
import type { Index } from '../index-model.ts';
import { embeddingSlots } from './embedding-slots.ts';

/** Where texts would be compared with vectors of two sources if vectors were copied now. @throws reembedding-under-way */
export function refuseWhileRemade(index: Pick<Index, 'name' | 'embed' | 'documents' | 'dimension'>): void {
  if (embeddingSlots(index).some(({ embed }) => embed.remaking !== null))
    throw fault('reembedding-under-way', { index: index.name });
}
