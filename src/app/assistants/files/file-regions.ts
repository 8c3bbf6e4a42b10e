// Where passages are on the pages of a file: read again from the file itself, so that nothing of it is stored.
import type { DocumentParser, RegionBatch } from '../../../documents/port.ts';
import { typeOfName } from '../../../documents/port.ts';
import type { AssistantFile } from '../../../domain/assistants/file.ts';
import type { PlacedPassage, RegionOptions } from '../../../domain/assistants/passages.ts';
import { KeyedSlots } from '../../../platform/keyed-slots.ts';
import { type ScratchParts, withScratchCopy } from './scratch-copy.ts';

/** Files that are read at a time: each is copied whole, before it waits for a parser. */
const FILES_AT_ONCE_MAX = 4;
/** Of one project. */
const PROJECT_FILES_AT_ONCE_MAX = 2;

export interface FileRegionsParts extends ScratchParts {
  readonly parser: Pick<DocumentParser, 'regions'>;
}

export class FileRegions {
  readonly #parts: FileRegionsParts;
  readonly #slots = new KeyedSlots({ slots: FILES_AT_ONCE_MAX, slotsOfKey: PROJECT_FILES_AT_ONCE_MAX });

  constructor(parts: FileRegionsParts) {
    this.#parts = parts;
  }

  /** Regions help to show what is known without them: a file that cannot be read in time has none. */
  async of(
    { revisionId, ...file }: Pick<AssistantFile, 'assistantId' | 'revisionId' | 'sha256' | 'name'>,
    passages: readonly PlacedPassage[],
    { projectId, signal, waitMs }: RegionOptions,
  ): Promise<RegionBatch> {
    const nothing = { regions: passages.map(() => []), layouts: [] };
    const isPaged = (typeOfName(file.name) ?? 'pdf') === 'pdf';
    if (!isPaged || passages.every(({ pages }) => pages.length === 0)) return nothing;
    const within = AbortSignal.any([signal, AbortSignal.timeout(waitMs)]);
    try {
      return await this.#slots.run(projectId, within, () =>
        withScratchCopy(this.#parts, { ...file, id: revisionId }, within, (input) =>
          this.#parts.parser.regions(input, passages, { signal: within }),
        ),
      );
    } catch {
      signal.throwIfAborted();
      return nothing;
    }
  }
}
