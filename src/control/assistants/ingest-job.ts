// The job that makes an upload searchable: parse, cut, embed, write, and only then let it answer.
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Blobs } from '../../blobs/port.ts';
import { CHUNKER_VERSION, type Chunk, embeddedText } from '../../documents/chunks/chunk-model.ts';
import { PARSER_VERSION } from '../../documents/document-model.ts';
import type { ChunkedDocument, DocumentParser } from '../../documents/processes/open-document-parser.ts';
import { DocumentRefusal } from '../../documents/refusal.ts';
import type { Assistant } from '../../domain/assistants/assistant.ts';
import { type FileRevision, type RevisionProcessing, revisionKey } from '../../domain/assistants/file.ts';
import { TOKENS_AN_INGESTION_UNIT } from '../../domain/assistants/limits.ts';
import { Fault } from '../../domain/faults.ts';
import type { Inference } from '../../domain/inference/port.ts';
import type { Job } from '../../domain/jobs.ts';
import { JobFailure, type JobKind, type JobRun } from '../../jobs/port.ts';
import { whenFree } from '../backups/job-kinds.ts';
import { cleaningJob, INGEST_JOB, type RevisionInput } from './assistant-jobs.ts';
import type { StoredChunk } from './chunk-record.ts';
import { ChunkStore } from './chunk-store.ts';
import { type ClearingParts, clearRevision } from './clear-revision.ts';
import { requireSameModels } from './current-models.ts';
import { TextEmbedder } from './embed-texts.ts';

/** A crash in the middle counts as a start, and so does a provider that fails. */
const ATTEMPTS_MAX = 10;
/** Chunks embedded and written at a time: what a crash may make the next run do again. */
const BATCH_CHUNKS = 64;
const PERCENT_PARSED = 10;
const PERCENT_UNFINISHED_MAX = 99;
const UNEXPECTED = 'The file could not be processed. Upload it again; the log of the server has the reason.';

export interface IngestParts extends ClearingParts {
  readonly blobs: Pick<Blobs, 'get' | 'delete'>;
  readonly inference: Inference;
  readonly parser: Pick<DocumentParser, 'chunk'>;
  /** A folder on this machine; parsers read files from there. */
  readonly scratchFolder: string;
}

/** How far a run came. */
interface IngestProgress {
  readonly parser: number;
  readonly chunker: number;
  readonly chunks: number;
  /** Chunks that are in the engine, from the first on. */
  readonly written: number;
}

export function ingestKind(parts: IngestParts): JobKind {
  return {
    kind: INGEST_JOB,
    attemptsMax: ATTEMPTS_MAX,
    run: async (run) => {
      try {
        await ingest(parts, run);
      } catch (error) {
        throw judged(error);
      }
    },
    undo: async (job) => {
      const input = inputOf(job);
      const reason = job.error ?? UNEXPECTED;
      await parts.catalog.assistantFiles.fail(input.revisionId, reason, new Date().toISOString());
      await clearRevision(parts, input);
    },
  };
}

/** Faults that another try meets again. */
const FOR_GOOD = new Set(['invalid-argument', 'assistant-models-changed', 'unknown-model']);

function judged(error: unknown): unknown {
  const isForGood =
    error instanceof DocumentRefusal || (error instanceof Fault && FOR_GOOD.has(error.condition));
  return isForGood ? new JobFailure(error.message, error) : error;
}

async function ingest(parts: IngestParts, run: JobRun): Promise<void> {
  const { assistantId, revisionId } = inputOf(run.job);
  const revision = await parts.catalog.assistantFiles.revision(revisionId);
  const assistant = await parts.catalog.assistants.byId(assistantId);
  if (revision?.state === 'live') return;
  if (assistant === null || revision?.state !== 'staged') throw new JobFailure('The file was deleted.');
  requireSameModels(parts.inference, assistant);
  const document = await readDocument(parts, revision, run.signal);
  await writeChunks(parts, run, { assistant, revision, document });
  const tokens = document.chunks.reduce((sum, chunk) => sum + chunk.tokens, 0);
  const processing: RevisionProcessing = {
    parser: PARSER_VERSION,
    chunker: CHUNKER_VERSION,
    type: document.type,
    chunks: document.chunks.length,
    tokens,
    pages: document.pageCount ?? null,
  };
  const at = new Date().toISOString();
  const ingestionUnits = Math.max(1, Math.ceil(tokens / TOKENS_AN_INGESTION_UNIT));
  const isLive = await parts.catalog.assistantFiles.publish(
    revisionId,
    { processing, ingestionUnits, at },
    (old) => cleaningJob(assistant, old, at),
  );
  if (!isLive) throw new JobFailure('The file was deleted.');
}

/** Parsers read from a file of their own, which is gone afterwards. */
async function readDocument(
  { blobs, parser, scratchFolder }: IngestParts,
  revision: FileRevision,
  signal: AbortSignal,
): Promise<ChunkedDocument> {
  const folder = await mkdtemp(join(scratchFolder, 'parse-'));
  try {
    const path = join(folder, 'file');
    await pipeline(blobs.get(revisionKey(revision)), createWriteStream(path), { signal });
    return await parser.chunk({ name: revision.name, path }, { signal });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Ingestion {
  readonly assistant: Assistant;
  readonly revision: FileRevision;
  readonly document: ChunkedDocument;
}

/** Goes on where an earlier run of the same parser and chunker came to: they cut the same text the same way. */
async function writeChunks(
  parts: IngestParts,
  run: JobRun,
  { assistant, revision, document }: Ingestion,
): Promise<void> {
  const { chunks } = document;
  const plan = { parser: PARSER_VERSION, chunker: CHUNKER_VERSION, chunks: chunks.length };
  const store = new ChunkStore(parts, assistant);
  const embedder = new TextEmbedder(parts.inference, assistant.models);
  for (let at = writtenBefore(run.job, plan); at < chunks.length; at += BATCH_CHUNKS) {
    run.signal.throwIfAborted();
    const batch = chunks.slice(at, at + BATCH_CHUNKS);
    const texts = batch.map((chunk) => embeddedText(document.text, chunk));
    const vectors = await whenFree(run.signal, () =>
      embedder.embed(texts, { inputType: 'passage', signal: run.signal }),
    );
    const stored = batch.map((chunk) => storedOf(revision.id, document.text, chunk));
    await whenFree(run.signal, () => store.write(stored, vectors));
    const written = at + batch.length;
    const share = (PERCENT_UNFINISHED_MAX - PERCENT_PARSED) * (written / chunks.length);
    const percent = Math.round(PERCENT_PARSED + share);
    run.percent(percent);
    await run.checkpoint({ ...plan, written } satisfies IngestProgress);
    await parts.catalog.assistantFiles.progress(revision.id, percent);
  }
}

function writtenBefore(job: Job, plan: Omit<IngestProgress, 'written'>): number {
  const before = job.progress as IngestProgress | null;
  const isSame =
    before?.parser === plan.parser && before.chunker === plan.chunker && before.chunks === plan.chunks;
  return isSame ? before.written : 0;
}

function storedOf(revisionId: string, text: string, chunk: Chunk): StoredChunk {
  const { number, start, end, tokens, headings, pageStarts } = chunk;
  return { revisionId, number, text: text.slice(start, end), start, tokens, headings, pageStarts };
}

/** Trusts the row: only `ingestJob` writes it. */
function inputOf({ input }: Pick<Job, 'input'>): RevisionInput {
  return input as RevisionInput;
}
