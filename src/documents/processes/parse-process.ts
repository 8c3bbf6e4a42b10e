// Entry of a parser process: reads, parses and cuts one file at a time.
import { open } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { chunkDocument } from '../chunks/chunk-document.ts';
import { type DocumentFile, parseDocument, picturesOf } from '../parse-document.ts';
import { DocumentRefusal, parserDied, refusal } from '../refusal.ts';
import { loadTokenCounter } from '../text/count-tokens.ts';
import { cpuMs, type Watched } from './process-bounds.ts';
import type { ParseJob, ParseOutcome, ParseResult } from './protocol.ts';

const [, , residentBytesMax, cpuMsMax] = process.argv.map(Number);
const jobBegan = new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT)).fill(Infinity);
const watched: Watched = {
  residentBytesMax: residentBytesMax ?? 0,
  cpuMsMax: cpuMsMax ?? 0,
  jobBegan,
  parent: process.ppid,
};
new Worker(new URL('./process-watch.ts', import.meta.url), { workerData: watched }).unref();

process.on('message', async (job: ParseJob) => {
  jobBegan[0] = cpuMs();
  const outcome = await outcomeOf(job);
  jobBegan[0] = Infinity;
  process.send?.({ outcome, residentBytes: process.memoryUsage.rss() });
});
process.on('disconnect', () => process.exit());

async function outcomeOf(job: ParseJob): Promise<ParseOutcome> {
  try {
    return { result: await resultOf(await fileOf(job), job) };
  } catch (error) {
    if (error instanceof DocumentRefusal) {
      return { refused: error.reason, message: error.message, cause: error.cause };
    }
    const { message, code } = error as NodeJS.ErrnoException;
    return { failed: { message, code } };
  }
}

/** Whatever a parser throws on a file is the end of that file, and of nothing else. */
async function resultOf(file: DocumentFile, job: ParseJob): Promise<ParseResult> {
  const { limits } = job;
  try {
    if (job.wanted === 'pictures') return await picturesOf(file, limits, job.fromPage);
    const document = await parseDocument(file, limits, job.pictures);
    if (job.wanted === 'blocks') return document;
    const { blocks: _, ...rest } = document;
    const count = await loadTokenCounter();
    return { ...rest, chunks: [...chunkDocument(document, { ...job.chunking, count })] };
  } catch (error) {
    throw error instanceof DocumentRefusal ? error : parserDied(error);
  }
}

/** The size is checked before memory is taken for it. */
async function fileOf({ input, limits }: ParseJob): Promise<DocumentFile> {
  if ('bytes' in input) return input;
  const { inputBytesMax } = limits;
  const file = await open(input.path);
  try {
    const { size } = await file.stat();
    if (size > inputBytesMax) {
      throw refusal('too-large', { detail: `it has ${size} bytes of at most ${inputBytesMax}` });
    }
    return { ...input, bytes: await file.readFile() };
  } finally {
    await file.close();
  }
}
