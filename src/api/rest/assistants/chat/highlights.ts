// The highlights of citations: the cited texts, and where they are on the pages of their files.
import { type Passage, pagesOf } from '../../../../app/assistants/chat/answer-model.ts';
import type { ChatAnswer } from '../../../../app/assistants/chat/chat-service.ts';
import { REGIONS_WAIT_MS_MAX } from '../../../../domain/assistants/limits.ts';
import type { PageRegion, PassageRegions, PlacedPassage } from '../../../../domain/assistants/passages.ts';
import type { HighlightShape } from './shapes/citations.ts';

export interface HighlightParts {
  readonly passages: PassageRegions;
  readonly fileOf: ChatAnswer['fileOf'];
  readonly signal: AbortSignal;
  /** Of the caller. */
  readonly projectId: string;
}

export class Highlights {
  /** Null where none are asked for. */
  readonly #parts: HighlightParts | null;
  readonly #now: () => number;
  readonly #regions = new Map<Passage, readonly PageRegion[]>();
  /** What is left of the time of the answer. A stream spends it on some citations, and shows the rest without. */
  #leftMs = REGIONS_WAIT_MS_MAX;

  /** @param now milliseconds of a clock that only goes on */
  constructor(parts: HighlightParts | null, now: () => number = () => performance.now()) {
    this.#parts = parts;
    this.#now = now;
  }

  /** Finds the regions of passages, each file read once, all at a time. @throws the signal's reason */
  async prepare(passages: readonly Passage[]): Promise<void> {
    const waitMs = Math.floor(this.#leftMs);
    if (this.#parts === null || waitMs <= 0) return;
    const { passages: finder, fileOf, ...asking } = this.#parts;
    const from = this.#now();
    const byFile = [...Map.groupBy(passages, ({ chunk }) => chunk.fileId)];
    await Promise.all(
      byFile.map(async ([fileId, own]) => {
        const file = fileOf(fileId);
        if (file === undefined) return;
        const regions = await finder.regions(file, own.map(placed), { ...asking, waitMs });
        for (const [at, passage] of own.entries()) this.#regions.set(passage, regions[at] ?? []);
      }),
    );
    this.#leftMs -= this.#now() - from;
  }

  of(passage: Passage): HighlightShape | null {
    if (this.#parts === null) return null;
    return { type: 'text', content: passage.text, regions: this.#regions.get(passage) ?? [] };
  }
}

function placed(passage: Passage): PlacedPassage {
  const { chunk, text, start } = passage;
  return { text, before: chunk.text.slice(0, Math.max(0, start - chunk.start)), pages: pagesOf(passage) };
}
