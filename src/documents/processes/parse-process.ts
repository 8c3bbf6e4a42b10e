// Entry point of a parser process: reads, parses and chunks one file at a time.
import { open } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { ChannelServer } from '../../platform/worker-channel/channel-server.ts';
import { parentEndpoint } from '../../platform/worker-channel/process-endpoint.ts';
import { chunkDocument } from '../chunks/chunk-document.ts';
import { namedType } from '../detect-type.ts';
import { MARKDOWN_MS_A_MEBIBYTE, MARKDOWN_MS_MAX } from '../limits.ts';
import { type DocumentFile, parseDocument, picturesOf, regionsOf } from '../parse-document.ts';
import { DocumentRefusal, parserDied, refusal } from '../refusal.ts';
import { loadTokenCounter } from '../text/count-tokens.ts';
import { cpuMs, type Watched } from './process-bounds.ts';
import { PARSER_CODEC, type ParseJob, type ParseResult, type ParserMethods } from './protocol.ts';

const MEBIBYTE = 2 ** 20;
const [, , residentBytesMax, cpuMsMax] = process.argv.map(Number);
const jobBegan = new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT)).fill(Infinity);
const watched: Watched = {
  residentBytesMax: residentBytesMax ?? 0,
  cpuMsMax: cpuMsMax ?? 0,
  jobBegan,
  parent: process.ppid,
};
new Worker(new URL('./process-watch.ts', import.meta.url), { workerData: watched }).unref();

new ChannelServer<ParserMethods>(
  parentEndpoint(),
  {
    parse: async (job, call) => {
      jobBegan[0] = cpuMs();
      try {
        const file = await fileOf(job);
        // As if the job had begun so long before: the watchdog has one limit for all.
        jobBegan[0] -= Math.max(0, watched.cpuMsMax - cpuMsFor(file, job));
        return await resultOf(file, job);
      } finally {
        jobBegan[0] = Infinity;
        call.note(process.memoryUsage.rss());
      }
    },
  },
  { codec: PARSER_CODEC, onEnd: () => process.exit() },
);

/** Processor time for a file. */
function cpuMsFor({ bytes, name, mimeType }: DocumentFile, job: ParseJob): number {
  const isText = job.output === 'blocks' || job.output === 'chunks';
  if (!isText || job.isPlain || namedType(name, mimeType) !== 'markdown') return watched.cpuMsMax;
  return job.markdownMsMax ?? MARKDOWN_MS_MAX + (bytes.length / MEBIBYTE) * MARKDOWN_MS_A_MEBIBYTE;
}

/** Turns whatever a parser throws into a refusal of the file, so that it affects nothing else. */
async function resultOf(file: DocumentFile, job: ParseJob): Promise<ParseResult> {
  const { limits } = job;
  try {
    if (job.output === 'pictures') return await picturesOf(file, limits, job);
    if (job.output === 'regions') return await regionsOf(file, limits, job.passages);
    const document = await parseDocument(file, limits, job);
    if (job.output === 'blocks') return document;
    const { blocks: _, ...rest } = document;
    const count = await loadTokenCounter();
    return { ...rest, chunks: [...chunkDocument(document, { ...job.chunking, count })] };
  } catch (error) {
    throw error instanceof DocumentRefusal ? error : parserDied(error);
  }
}

/** Reads the file; checks its size before allocating memory for it. */
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
