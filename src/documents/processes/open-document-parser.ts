// The document parser: a bounded pool of processes, each of which parses one file at a time.
import type { PlacedPassage } from '../../domain/assistants/passages.ts';
import { partOfMemory } from '../../platform/machine-memory.ts';
import { CHUNK_OPTIONS, type ChunkOptions } from '../chunks/chunk-model.ts';
import { namedType } from '../detect-type.ts';
import type { ParsedDocument } from '../document-model.ts';
import { PARSE_LIMITS, PARSER_MEMORY, type ParseLimits } from '../limits.ts';
import type { PictureBatch, PictureText } from '../pictures/picture-model.ts';
import { DocumentRefusal } from '../refusal.ts';
import type { RegionBatch } from '../regions/pdf-regions.ts';
import { ParserProcess, type ProcessBounds } from './parser-process.ts';
import type { ChunkedDocument, DocumentInput, ParseJob, ParseResult, ParseWork } from './protocol.ts';

export type { ChunkedDocument, DocumentInput } from './protocol.ts';

export interface DocumentParserOptions extends Partial<ProcessBounds> {
  /** Number of files parsed at the same time. */
  readonly processes: number;
  readonly limits?: Partial<ParseLimits>;
  readonly chunking?: Partial<ChunkOptions>;
  /** Processor time for a Markdown file, after which it is read as plain text. By default it grows with the file. */
  readonly markdownMsMax?: number;
  /** A process that has been idle this long is ended to free its memory. */
  readonly idleMs?: number;
}

export interface PictureOptions {
  /** Ends the parsing; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Page limit of this file, where it is lower than usual. */
  readonly pagesMax?: number | undefined;
}

export interface PictureBatchOptions extends PictureOptions {
  /** Returns the pictures of these pages alone (undefined: of all), large enough to read text in them. */
  readonly scans?: { readonly pages: readonly number[] | undefined };
}

export interface ParseOptions extends PictureOptions {
  /** Descriptions of the file's pictures, in page order; each is added to the text of its page. */
  readonly pictures?: readonly PictureText[];
}

export interface DocumentParser {
  /**
   * Returns the text and blocks of a file.
   * @throws DocumentRefusal when the file cannot be read, even if the process died over it
   */
  parse(input: DocumentInput, options?: ParseOptions): Promise<ParsedDocument>;
  /** Returns the text and chunks of a file; the parser process cuts them. Throws as `parse` does. */
  chunk(input: DocumentInput, options?: ParseOptions): Promise<ChunkedDocument>;
  /** Returns one batch of a PDF file's pictures from page `fromPage` on. Throws as `parse` does. */
  pictures(input: DocumentInput, fromPage: number, options?: PictureBatchOptions): Promise<PictureBatch>;
  /** Returns what passages cover on the pages of a PDF file; nothing of other files. Throws as `parse` does. */
  regions(
    input: DocumentInput,
    passages: readonly PlacedPassage[],
    options?: PictureOptions,
  ): Promise<RegionBatch>;
  /** Ends all processes; running and waiting files are rejected. */
  close(): Promise<void>;
}

const PARSE_MS_MAX = 120_000;
const IDLE_MS = 30_000;
/** Bounds the memory of files that wait here; callers queue the rest themselves. */
const WAITING_MAX = 1_000;

export function openDocumentParser(options: DocumentParserOptions): DocumentParser {
  const pool = new ProcessPool(options);
  const limits = { ...PARSE_LIMITS, ...options.limits };
  const chunking = { ...CHUNK_OPTIONS, ...options.chunking };
  // The process answers each kind of work with its own kind of result.
  const run = <Result extends ParseResult>(
    input: DocumentInput,
    work: ParseWork,
    { signal, pagesMax }: PictureOptions,
  ) =>
    pool.run(
      { ...work, input, limits: { ...limits, ...(pagesMax !== undefined && { pagesMax }) } },
      signal,
    ) as Promise<Result>;
  const read = <Result extends ParseResult>(
    output: 'blocks' | 'chunks',
    input: DocumentInput,
    { pictures = [], ...rest }: ParseOptions,
  ): Promise<Result> => {
    const { markdownMsMax } = options;
    const work = { output, chunking, pictures, markdownMsMax };
    return run<Result>(input, { ...work, isPlain: false }, rest).catch((error: unknown) => {
      if (!isTooSlow(error) || namedType(input.name, input.mimeType) !== 'markdown') throw error;
      return run<Result>(input, { ...work, isPlain: true }, rest);
    });
  };
  return {
    parse: (input, given = {}) => read('blocks', input, given),
    chunk: (input, given = {}) => read('chunks', input, given),
    pictures: (input, fromPage, given = {}) =>
      run(input, { output: 'pictures', fromPage, scans: given.scans }, given),
    regions: (input, passages, given = {}) => run(input, { output: 'regions', passages }, given),
    close: () => pool.close(),
  };
}

class ProcessPool {
  readonly #processesMax: number;
  readonly #bounds: ProcessBounds;
  readonly #idleMs: number;
  readonly #processes = new Set<ParserProcess>();
  readonly #idle = new Map<ParserProcess, NodeJS.Timeout>();
  readonly #waiting: ((closed?: Error) => void)[] = [];
  #busy = 0;
  #closed = false;

  constructor({ processes, idleMs, memoryMebibytesMax, parseMsMax }: DocumentParserOptions) {
    this.#processesMax = processes;
    this.#idleMs = idleMs ?? IDLE_MS;
    this.#bounds = {
      memoryMebibytesMax: memoryMebibytesMax ?? partOfMemory(PARSER_MEMORY),
      parseMsMax: parseMsMax ?? PARSE_MS_MAX,
    };
  }

  async run(job: ParseJob, signal?: AbortSignal): Promise<ParseResult> {
    await this.#turn(signal);
    try {
      return await this.#runNow(job, signal);
    } finally {
      this.#busy--;
      this.#waiting.shift()?.();
    }
  }

  async #runNow(job: ParseJob, signal?: AbortSignal): Promise<ParseResult> {
    if (this.#closed) throw closedError();
    const parser = this.#take();
    try {
      return await parser.run(job, signal);
    } finally {
      await this.#putBack(parser);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const timer of this.#idle.values()) clearTimeout(timer);
    for (const turn of this.#waiting.splice(0)) turn(closedError());
    await Promise.all([...this.#processes].map((parser) => parser.close()));
  }

  /** Waits until fewer than `processes` files are being parsed. */
  #turn(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (this.#busy < this.#processesMax && this.#waiting.length === 0) {
      this.#busy++;
      return Promise.resolve();
    }
    if (this.#waiting.length === WAITING_MAX)
      throw new Error(`parser queue is full: ${WAITING_MAX} files are waiting`);
    return this.#queue(signal);
  }

  #queue(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(turn), 1);
        reject(signal?.reason);
      };
      const turn = (closed?: Error): void => {
        signal?.removeEventListener('abort', onAbort);
        if (closed !== undefined) reject(closed);
        else {
          this.#busy++;
          resolve();
        }
      };
      this.#waiting.push(turn);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  #take(): ParserProcess {
    for (const [parser, timer] of this.#idle) {
      clearTimeout(timer);
      this.#idle.delete(parser);
      if (parser.usable) return parser;
      this.#processes.delete(parser);
    }
    const parser = new ParserProcess(this.#bounds);
    this.#processes.add(parser);
    return parser;
  }

  async #putBack(parser: ParserProcess): Promise<void> {
    if (!parser.usable || this.#closed) {
      // A killed process keeps its memory until it has exited.
      await parser.close();
      this.#processes.delete(parser);
      return;
    }
    const timer = setTimeout(() => {
      this.#idle.delete(parser);
      this.#processes.delete(parser);
      void parser.close();
    }, this.#idleMs);
    this.#idle.set(parser, timer.unref());
  }
}

function isTooSlow(error: unknown): boolean {
  return error instanceof DocumentRefusal && error.reason === 'too-slow';
}

function closedError(): Error {
  return new Error('the document parser is closed');
}
