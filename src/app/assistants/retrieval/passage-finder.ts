// Finds a cited passage in the chunks of its file, and cuts the page around it.
import { type Assistant, hasTerms } from '../../../domain/assistants/assistant.ts';
import { REGIONS_WAIT_MS_MAX } from '../../../domain/assistants/limits.ts';
import type {
  FoundPassage,
  PageRegion,
  Passages,
  PlacedPassage,
  RegionOptions,
} from '../../../domain/assistants/passages.ts';
import type { Inference } from '../../../domain/inference/port.ts';
import { chunkId } from '../chunks/chunk-record.ts';
import { type ChunkHit, ChunkStore, type ChunkStoreParts, onlyRevisions } from '../chunks/chunk-store.ts';
import type { FoundChunk } from '../chunks/found-chunk.ts';
import { FileRegions, type FileRegionsParts } from '../files/file-regions.ts';
import { questionTerms } from '../terms/analyze.ts';
import { TextEmbedder } from '../text-embedder.ts';
import { joined } from './join-chunks.ts';

/** Chunks in which the passage may begin. */
const HITS = 8;
/** Chunks on either side: a page and the longest passage fit. */
const BESIDE = 10;
/** Terms of a passage that are searched. */
const TERMS_MAX = 64;
/** Characters on either side of a passage in files without pages. */
const AROUND = 1_500;

export interface PassageFinderParts extends ChunkStoreParts, FileRegionsParts {
  readonly inference: Inference;
}

export class PassageFinder implements Passages {
  readonly #parts: PassageFinderParts;
  readonly #regions: FileRegions;

  constructor(parts: PassageFinderParts) {
    this.#parts = parts;
    this.#regions = new FileRegions(parts);
  }

  async find(
    assistant: Assistant,
    file: PassageFile,
    passage: { readonly text: string; readonly signal: AbortSignal },
  ): Promise<FoundPassage | null> {
    const { revisionId } = file;
    const store = new ChunkStore(this.#parts, assistant);
    const chunks = await store.fetch(
      (await this.#hits(store, { assistant, revisionId, ...passage })).map(({ id }) => id),
    );
    for (const chunk of chunks.values()) {
      const around = joined({ chunks: await neighborhood(store, chunk), score: 0 });
      const at = around.text.indexOf(passage.text);
      if (at === -1) continue;
      const { pages, ...found } = pageOf(around, at, at + passage.text.length);
      const placed = { text: passage.text, before: found.text.slice(0, found.start), pages };
      const { projectId } = assistant;
      const options = { projectId, signal: passage.signal, waitMs: REGIONS_WAIT_MS_MAX };
      const { regions, layouts } = await this.#regions.of(file, [placed], options);
      return { ...found, regions: regions[0] ?? [], layouts };
    }
    return null;
  }

  async regions(
    file: PassageFile,
    passages: readonly PlacedPassage[],
    options: RegionOptions,
  ): Promise<readonly (readonly PageRegion[])[]> {
    return (await this.#regions.of(file, passages, options)).regions;
  }

  /** By words where chunks have terms; else by meaning, as assistants of earlier releases are searched. */
  async #hits(
    store: ChunkStore,
    { assistant, revisionId, text, signal }: PassageSearch,
  ): Promise<readonly ChunkHit[]> {
    const search = { limit: HITS, revisions: onlyRevisions([revisionId]) };
    const terms = hasTerms(assistant) ? [...questionTerms(text)].slice(0, TERMS_MAX) : [];
    if (terms.length > 0) return store.byTerms(terms, search);
    const embedder = new TextEmbedder(this.#parts.inference, assistant.models);
    const [dense] = await embedder.dense([text], { inputType: 'query', signal });
    return dense === undefined ? [] : store.byMeaning(dense.values, search);
  }
}

type PassageFile = Parameters<Passages['regions']>[0];

interface PassageSearch {
  readonly assistant: Assistant;
  readonly revisionId: string;
  readonly text: string;
  readonly signal: AbortSignal;
}

/** The chunk with those before and after it. */
async function neighborhood(
  store: ChunkStore,
  chunk: FoundChunk,
): Promise<readonly [FoundChunk, ...FoundChunk[]]> {
  const { revisionId, number } = chunk;
  const numbers = Array.from({ length: 2 * BESIDE + 1 }, (_, at) => number - BESIDE + at);
  const ids = numbers.filter((each) => each >= 0).map((each) => chunkId({ revisionId, number: each }));
  const [first = chunk, ...rest] = [...(await store.fetch(ids)).values()].sort((a, b) => a.number - b.number);
  return [first, ...rest];
}

function pageOf(
  { text, start: offset, pageStarts = [] }: FoundChunk,
  start: number,
  end: number,
): Omit<FoundPassage, 'regions' | 'layouts'> & Pick<PlacedPassage, 'pages'> {
  const pages = pageStarts.map(({ page, start: at }) => ({ page, at: Math.max(0, at - offset) }));
  const page = pages.findLast(({ at }) => at <= start);
  const from = page?.at ?? lineStart(text, Math.max(0, start - AROUND));
  const next = pages.find(({ at }) => at >= end)?.at;
  const to = page === undefined ? Math.min(text.length, end + AROUND) : (next ?? text.length);
  const on = pages.filter((each) => each === page || (each.at > start && each.at < end));
  return {
    page: page?.page ?? null,
    text: text.slice(from, to),
    start: start - from,
    end: end - from,
    pages: on.map((each) => each.page),
  };
}

/** The beginning of the line at a position, or the position where the line is long. */
function lineStart(text: string, at: number): number {
  const start = text.lastIndexOf('\n', at) + 1;
  return at - start > AROUND ? at : start;
}
