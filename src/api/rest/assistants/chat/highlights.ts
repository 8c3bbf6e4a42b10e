// The highlights of citations: the cited texts, and where they are on the pages of their files.
import { type Passage, pagesOf } from '../../../../app/assistants/chat/answer-model.ts';
import type { ChatAnswer } from '../../../../app/assistants/chat/chat-service.ts';
import type { PageRegion, PassageRegions, PlacedPassage } from '../../../../domain/assistants/passages.ts';
import type { HighlightShape } from './shapes/citations.ts';

export interface HighlightParts {
  readonly passages: PassageRegions;
  readonly fileOf: ChatAnswer['fileOf'];
  readonly signal: AbortSignal;
}

export class Highlights {
  /** Null where none are asked for. */
  readonly #parts: HighlightParts | null;
  readonly #regions = new Map<Passage, readonly PageRegion[]>();

  constructor(parts: HighlightParts | null) {
    this.#parts = parts;
  }

  /** Finds the regions of passages, each file read once. @throws the signal's reason */
  async prepare(passages: readonly Passage[]): Promise<void> {
    if (this.#parts === null) return;
    const { passages: finder, fileOf, signal } = this.#parts;
    for (const [fileId, own] of Map.groupBy(passages, ({ chunk }) => chunk.fileId)) {
      const file = fileOf(fileId);
      if (file === undefined) continue;
      const regions = await finder.regions(file, own.map(placed), signal);
      for (const [at, passage] of own.entries()) this.#regions.set(passage, regions[at] ?? []);
    }
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
