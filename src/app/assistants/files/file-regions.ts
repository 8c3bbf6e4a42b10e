// Where passages are on the pages of a file: read again from the file itself, so that nothing of it is stored.
import type { DocumentParser, RegionBatch } from '../../../documents/port.ts';
import { typeOfName } from '../../../documents/port.ts';
import type { AssistantFile } from '../../../domain/assistants/file.ts';
import type { PlacedPassage, RegionOptions } from '../../../domain/assistants/passages.ts';
import { type ScratchParts, withScratchCopy } from './scratch-copy.ts';

export interface FileRegionsParts extends ScratchParts {
  readonly parser: Pick<DocumentParser, 'regions'>;
}

/** Regions help to show what is known without them: a file that cannot be read in time has none. */
export async function fileRegions(
  parts: FileRegionsParts,
  { revisionId, ...file }: Pick<AssistantFile, 'assistantId' | 'revisionId' | 'sha256' | 'name'>,
  passages: readonly PlacedPassage[],
  { signal, waitMs }: RegionOptions,
): Promise<RegionBatch> {
  const nothing = { regions: passages.map(() => []), layouts: [] };
  const isPaged = (typeOfName(file.name) ?? 'pdf') === 'pdf';
  if (!isPaged || passages.every(({ pages }) => pages.length === 0)) return nothing;
  const within = AbortSignal.any([signal, AbortSignal.timeout(waitMs)]);
  try {
    return await withScratchCopy(parts, { ...file, id: revisionId }, within, (input) =>
      parts.parser.regions(input, passages, { signal: within }),
    );
  } catch {
    signal.throwIfAborted();
    return nothing;
  }
}
