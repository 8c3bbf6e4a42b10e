// Makes an upload searchable: parses, chunks, embeds and writes it. Publishing is the job's task.
import type { Blobs } from '../../../blobs/port.ts';
import type { ProcessedRevision } from '../../../catalog/port.ts';
import type { ChunkedDocument, DocumentParser } from '../../../documents/port.ts';
import {
  CHUNKER_VERSION,
  type Chunk,
  DocumentRefusal,
  embeddedText,
  PARSER_VERSION,
} from '../../../documents/port.ts';
import { type Assistant, hasTerms } from '../../../domain/assistants/assistant.ts';
import type { FileRevision } from '../../../domain/assistants/file.ts';
import { MULTIMODAL_PAGES_MAX, TOKENS_AN_INGESTION_UNIT } from '../../../domain/assistants/limits.ts';
import type { Inference } from '../../../domain/inference/port.ts';
import { JobFailure } from '../../../jobs/port.ts';
import { retryWhileOverloaded } from '../../../jobs/retry-while-overloaded.ts';
import { inTurns } from '../../../platform/turns.ts';
import type { StoredChunk } from '../chunks/chunk-record.ts';
import { ChunkStore, type ChunkStoreParts, type WritableChunk } from '../chunks/chunk-store.ts';
import { withScratchCopy } from '../files/scratch-copy.ts';
import { FileDamaged } from '../files/verified-bytes.ts';
import { saveTables } from '../tables/table-store.ts';
import { chunkTerms } from '../terms/chunk-terms.ts';
import { TextEmbedder } from '../text-embedder.ts';
import { keepPictures, type PictureParts } from './keep-pictures.ts';
import { chunkWithScans, type ScanParts } from './read-scans.ts';

/** Chunks embedded and written at a time, which a crash may repeat. */
const BATCH_CHUNKS = 64;
const PERCENT_PARSED = 10;
const PERCENT_UNFINISHED_MAX = 99;

export interface ProcessingParts extends ChunkStoreParts, PictureParts, Pick<ScanParts, 'scanReader'> {
  readonly blobs: Pick<Blobs, 'get' | 'put'>;
  readonly inference: Inference;
  readonly parser: Pick<DocumentParser, 'chunk' | 'pictures'>;
  /** A folder on this machine from which parsers read files. */
  readonly scratchFolder: string;
}

/** Progress of a run. */
export interface ChunkProgress {
  readonly parser: number;
  readonly chunker: number;
  readonly denseIndexId: string;
  readonly chunks: number;
  readonly tokens: number;
  /** Number of chunks written so far. */
  readonly written: number;
}

export interface Processing {
  readonly assistant: Assistant;
  readonly revision: FileRevision;
  readonly signal: AbortSignal;
  /** Last progress passed to `onWritten`; the run starts over when the plan differs. */
  readonly before: ChunkProgress | null;
  /** Whether an earlier run may have written chunks, of another plan too. */
  readonly isRepeated: boolean;
  /** Called before the first chunk is written, with 0, and after each batch. */
  readonly onWritten: (progress: ChunkProgress, percent: number) => Promise<void>;
}

/** Safe to repeat: the same file gives the same chunks. @throws JobFailure, DocumentRefusal; what models and ports throw */
export async function processRevision(parts: ProcessingParts, work: Processing): Promise<ProcessedRevision> {
  const { denseIndexId } = work.assistant;
  const document = await readDocument(parts, work);
  const { chunks } = document;
  if (document.tables !== undefined) await saveTables(parts.blobs, work.revision, document.tables);
  const tokens = chunks.reduce((sum, chunk) => sum + chunk.tokens, 0);
  const versions = { parser: PARSER_VERSION, chunker: CHUNKER_VERSION };
  await writeChunks(parts, work, {
    document,
    plan: { ...versions, denseIndexId, chunks: chunks.length, tokens },
  });
  const { type, pageCount: pages = null } = document;
  return {
    processing: { ...versions, type, chunks: chunks.length, tokens, pages },
    denseIndexId,
    ingestionUnits: Math.max(1, Math.ceil(tokens / TOKENS_AN_INGESTION_UNIT)),
    at: new Date().toISOString(),
  };
}

/** Parses a temporary copy of the file. */
async function readDocument(
  parts: ProcessingParts,
  { revision, signal }: Processing,
): Promise<ChunkedDocument> {
  try {
    return await withScratchCopy(parts, revision, signal, async (input) => {
      if (!revision.multimodal) return chunkWithScans(parts, input, { signal });
      const pictures = await keepPictures(parts, revision, { input, signal });
      return chunkWithScans(parts, input, { signal, pictures, pagesMax: MULTIMODAL_PAGES_MAX });
    });
  } catch (error) {
    if (error instanceof FileDamaged) throw new JobFailure(error.message, error);
    throw scanWithoutReader(error, parts, revision);
  }
}

/** Explains to the owner of a multimodal file why a scan was not read. */
function scanWithoutReader(
  error: unknown,
  { describer }: PictureParts,
  { multimodal }: FileRevision,
): unknown {
  if (!multimodal || !(error instanceof DocumentRefusal) || error.reason !== 'no-text') return error;
  const reason =
    describer === null || describer === undefined
      ? 'this server has no model that reads pictures. Upload a PDF with a text layer, or configure one (PINYON_CHAT_IMAGES), or have scans read (PINYON_OCR)'
      : 'the model that reads pictures found nothing to describe';
  return new JobFailure(`The pages of the file contain no text, and ${reason}.`, error);
}

interface Cut {
  readonly document: ChunkedDocument;
  readonly plan: Omit<ChunkProgress, 'written'>;
}

/**
 * Resumes after an earlier run of the same plan, which produced the same chunks. Those of another plan go first: of a
 * parser that found more text, chunks would be left behind the last one.
 */
async function writeChunks(parts: ProcessingParts, work: Processing, { document, plan }: Cut): Promise<void> {
  const { assistant, revision, signal, before, isRepeated, onWritten } = work;
  const { chunks } = document;
  const store = new ChunkStore(parts, assistant);
  const embedder = new TextEmbedder(parts.inference, assistant.models);
  for (let at = writtenBefore(before, plan); at < chunks.length; at += BATCH_CHUNKS) {
    signal.throwIfAborted();
    const batch = chunks.slice(at, at + BATCH_CHUNKS);
    const stored = batch.map((chunk) => storedOf(revision.id, document.text, chunk));
    const texts = batch.map((chunk) => embeddedText(document.text, chunk));
    const found = await retryWhileOverloaded(signal, () => foundBy(embedder, work, { texts, stored }));
    if (at === 0) {
      // First: whoever comes back to the former plan must not resume it.
      await onWritten({ ...plan, written: 0 }, PERCENT_PARSED);
      await retryWhileOverloaded(signal, async () => {
        // Release 0.1.0 noted nothing before its first chunks.
        if (isRepeated || (await store.hasBegun(revision.id))) await store.removeRevision(revision.id);
      });
    }
    await retryWhileOverloaded(signal, () => store.write(found));
    const written = at + batch.length;
    const share = (PERCENT_UNFINISHED_MAX - PERCENT_PARSED) * (written / chunks.length);
    await onWritten({ ...plan, written }, Math.round(PERCENT_PARSED + share));
  }
}

interface Batch {
  readonly texts: readonly string[];
  readonly stored: readonly StoredChunk[];
}

/** Makes what searches find the chunks by. */
async function foundBy(
  embedder: TextEmbedder,
  { assistant, revision, signal }: Processing,
  { texts, stored }: Batch,
): Promise<readonly WritableChunk[]> {
  const options = { inputType: 'passage', signal } as const;
  const [denses, sparses] = await Promise.all([
    embedder.dense(texts, options),
    hasTerms(assistant)
      ? inTurns(stored, (chunk, at) => chunkTerms(texts[at] ?? '', { fileName: revision.name, ...chunk }))
      : embedder.sparse(texts, options),
  ]);
  return stored.map((chunk, at) => {
    const [dense, words] = [denses[at], sparses[at]];
    if (dense === undefined || words === undefined) throw new Error('a chunk has no vectors');
    return { chunk, dense: dense.values, words };
  });
}

function writtenBefore(before: ChunkProgress | null, plan: Cut['plan']): number {
  const isSame =
    before?.parser === plan.parser &&
    before.chunker === plan.chunker &&
    before.denseIndexId === plan.denseIndexId &&
    before.chunks === plan.chunks &&
    before.tokens === plan.tokens;
  return isSame ? before.written : 0;
}

function storedOf(revisionId: string, text: string, chunk: Chunk): StoredChunk {
  const { number, start, end, tokens, headings, pageStarts } = chunk;
  return { revisionId, number, text: text.slice(start, end), start, tokens, headings, pageStarts };
}
