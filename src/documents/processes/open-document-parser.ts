// The parser of documents: a bounded number of processes, each for one file at a time.
import { CHUNK_OPTIONS, type ChunkOptions } from '../chunks/chunk-model.ts';
import type { ParsedDocument } from '../document-model.ts';
import { PARSE_LIMITS, type ParseLimits } from '../limits.ts';
import type { PictureBatch, PictureText } from '../pictures/picture-model.ts';
import { ParserProcess, type ProcessBounds } from './parser-process.ts';
import type { ChunkedDocument, DocumentInput, ParseJob, ParseResult, ParseWork } from './protocol.ts';

export type { ChunkedDocument, DocumentInput } from './protocol.ts';

export interface DocumentParserOptions extends Partial<ProcessBounds> {
  /** Files parsed at the same time. */
  readonly processes: number;
  readonly limits?: Partial<ParseLimits>;
  readonly chunking?: Partial<ChunkOptions>;
  /** After this long without a file a process is ended, and its memory returned. */
  readonly idleMs?: number;
}

export interface PictureOptions {
  /** Ends the parsing; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Pages of this file, where fewer are allowed than usual. */
  readonly pagesMax?: number | undefined;
}

export interface ParseOptions extends PictureOptions {
  /** What pictures of the file show, in the order of their pages: read with the text. */
  readonly pictures?: readonly PictureText[];
}

export interface DocumentParser {
  /**
   * The text and the blocks of a file.
   * @throws DocumentRefusal when the file cannot be read, whatever became of the process that tried
   */
  parse(input: DocumentInput, options?: ParseOptions): Promise<ParsedDocument>;
  /** The text and the chunks of a file; cut in the process as well. Throws as `parse` does. */
  chunk(input: DocumentInput, options?: ParseOptions): Promise<ChunkedDocument>;
  /** The pictures of a PDF file from a page on, as many as one answer holds. Throws as `parse` does. */
  pictures(input: DocumentInput, fromPage: number, options?: PictureOptions): Promise<PictureBatch>;
  /** Ends all processes; files under way or waiting are rejected. */
  close(): Promise<void>;
}

/** Files of 10 MB of every type need less; see docs/decisions/028-documents.md. */
const MEMORY_MEBIBYTES_MAX = 768;
const PARSE_MS_MAX = 120_000;
const IDLE_MS = 30_000;
/** Callers that wait hold their files in memory, or a place in a queue of their own. */
const WAITING_MAX = 1_000;

export function openDocumentParser(options: DocumentParserOptions): DocumentParser {
  const pool = new ProcessPool(options);
  const limits = { ...PARSE_LIMITS, ...options.limits };
  const chunking = { ...CHUNK_OPTIONS, ...options.chunking };
  const run = (input: DocumentInput, work: ParseWork, { signal, pagesMax }: PictureOptions) =>
    pool.run({ ...work, input, limits: { ...limits, ...(pagesMax !== undefined && { pagesMax }) } }, signal);
  const read = (
    wanted: 'blocks' | 'chunks',
    input: DocumentInput,
    { pictures = [], ...rest }: ParseOptions,
  ) => run(input, { wanted, chunking, pictures }, rest);
  return {
    parse: (input, given = {}) => read('blocks', input, given) as Promise<ParsedDocument>,
    chunk: (input, given = {}) => read('chunks', input, given) as Promise<ChunkedDocument>,
    pictures: (input, fromPage, given = {}) =>
      run(input, { wanted: 'pictures', fromPage }, given) as Promise<PictureBatch>,
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
      memoryMebibytesMax: memoryMebibytesMax ?? MEMORY_MEBIBYTES_MAX,
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
    if (this.#waiting.length === WAITING_MAX) throw new Error('too many files wait to be parsed');
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
      // One that was ended keeps its memory until it is gone.
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

function closedError(): Error {
  return new Error('the document parser is closed');
}
