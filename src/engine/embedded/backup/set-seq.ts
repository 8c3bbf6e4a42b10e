// Sets the number of the last write of an index that was made anew, before it is put in its place.
import type { IndexProfile } from '../../../domain/index-model.ts';
import { closeFiles, openForWriting } from '../storage/index-files.ts';
import { SEQ } from '../storage/record-store.ts';

/** Durable when it resolves. @param folder has no history yet: that would begin with its first write */
export async function setSeq(
  { id, dimension }: Pick<IndexProfile, 'id' | 'dimension'>,
  folder: string,
  seq: number,
): Promise<void> {
  const files = openForWriting(folder, dimension, { isNew: false, indexId: id });
  try {
    files.store.env.transactionSync(() => files.store.numbers.put(SEQ, seq));
  } finally {
    await closeFiles(files);
  }
}
