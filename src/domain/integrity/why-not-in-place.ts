// Which backups may take the place of a damaged index, whose row in the catalog stays as it is.
import type { Archive } from '../backups/archive.ts';
import { embeddingSlots } from '../embedding/embedding-slots.ts';
import type { Index } from '../index-model.ts';
import { whyNotFrom } from '../nodes/takeover.ts';

/**
 * Why a backup would not be what the index says of its vectors; null when it is. During a re-embedding they are of two
 * models, and its job goes on behind the records that it has made, which no backup has as they were.
 */
export function whyNotInPlace(archive: Archive, index: Index): string | null {
  const reason = whyNotFrom(archive, index);
  if (reason !== null) return reason;
  if (isRemade(archive.source)) return `backup ${archive.id} was made while its texts were embedded again`;
  return isRemade(index) ? 'its texts are being embedded again' : null;
}

function isRemade(index: Index): boolean {
  return embeddingSlots(index).some(({ embed }) => embed.remaking !== null);
}
