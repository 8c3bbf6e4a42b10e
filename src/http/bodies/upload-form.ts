// Reads an upload form as a stream: one file and, before or after it, one field with metadata.
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import type { UploadForm } from '../../api/rest/assistants/assistant-endpoint.ts';
import { Fault, fault, invalid } from '../../domain/faults.ts';
import { HEADER_QUOTED_CHARS_MAX, quoted } from '../../domain/quoted.ts';
import { NOTHING_HELD } from './byte-budget.ts';
import { bodyPieces } from './read-body.ts';

const FORM_TYPE = /^multipart\/form-data\s*(;|$)/i;
const FILE_PART = 'file';
const METADATA_PART = 'metadata';
/** JSON of the metadata, whitespace included. The metadata's own limit is checked where it is parsed. */
const METADATA_TEXT_BYTES_MAX = 128 * 1024;
const PART_HEADER_BYTES_MAX = 16 * 1024;
const PART_HEADERS_MAX = 32;
/** More parts than any accepted form has, so that the first extra one is refused by name. */
const PARTS_MAX = 8;

export interface OpenedForm extends UploadForm {
  /** Leaves the rest of the request unread. Must be called once the outcome of the request is known. */
  close(): void;
}

/**
 * Resolves when the file part begins.
 * @param readmit checks the caller again once the whole form has arrived
 * @throws unsupported-form-type, invalid-argument
 */
export async function openUploadForm(
  request: IncomingMessage,
  readmit: () => Promise<void>,
): Promise<OpenedForm> {
  const reading = new FormReading(request);
  try {
    const { name, content } = await reading.file;
    return {
      fileName: name,
      content: wholeFile(reading, content, readmit),
      metadata: () => reading.metadata,
      close: () => reading.close(),
    };
  } catch (error) {
    reading.close();
    throw error;
  }
}

/** Ends when the form has ended: a file is complete only if the parts after it are valid. */
async function* wholeFile(
  reading: FormReading,
  content: Readable,
  readmit: () => Promise<void>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* content;
  } catch (error) {
    // The parser reports a truncated file with an error of its own.
    throw error instanceof Fault ? error : damaged();
  }
  await reading.ended;
  await readmit();
}

interface FilePart {
  readonly name: string;
  readonly content: Readable;
}

/** Feeds the request to the parser at the pace at which the file is consumed. */
class FormReading {
  readonly #stop = new AbortController();
  readonly #file = Promise.withResolvers<FilePart>();
  readonly #ended = Promise.withResolvers<void>();
  #content: Readable | undefined;
  #metadata: string | undefined;

  /** @throws unsupported-form-type, invalid-argument */
  constructor(request: IncomingMessage) {
    const parser = this.#parserFor(request);
    // Either may fail before anything awaits it.
    this.#file.promise.catch(() => undefined);
    this.#ended.promise.catch(() => undefined);
    this.#pump(request, parser).catch((error: unknown) => this.#fail(error));
  }

  get file(): Promise<FilePart> {
    return this.#file.promise;
  }

  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  get metadata(): string | undefined {
    return this.#metadata;
  }

  close(): void {
    this.#stop.abort();
    this.#content?.destroy();
  }

  async #pump(request: IncomingMessage, parser: BusboyInstance): Promise<void> {
    const { signal } = this.#stop;
    // File bytes are counted where they are stored, everything else by the parser.
    const bounds = { bytesMax: Number.POSITIVE_INFINITY, lease: NOTHING_HELD };
    try {
      for await (const piece of bodyPieces(request, bounds)) {
        signal.throwIfAborted();
        if (!parser.write(piece)) await once(parser, 'drain', { signal });
      }
      parser.end();
    } finally {
      // A client that is still sending reads the response only after it has sent everything.
      if (signal.aborted) request.resume();
    }
  }

  #fail(error: unknown): void {
    this.#stop.abort();
    const fault = error instanceof Fault ? error : damaged();
    this.#file.reject(fault);
    this.#ended.reject(fault);
    this.#content?.destroy(fault);
  }

  #parserFor({ headers }: IncomingMessage): BusboyInstance {
    const parser = parserOf(headers['content-type']);
    parser.on('file', (_, content, name) => this.#beginFile(content, name));
    parser.on('field', (name, value, _, isCut) => this.#takeField(name, value, isCut));
    parser.on('partsLimit', () => this.#fail(invalid('The form of the upload has too many parts.')));
    parser.on('error', () => this.#fail(damaged()));
    parser.on('finish', () => {
      this.#file.reject(invalid(`The form of the upload has no part named ${FILE_PART}.`));
      this.#ended.resolve();
    });
    return parser;
  }

  #beginFile(content: Readable, name: string | undefined): void {
    // Destroying it on purpose must not raise an uncaught error.
    content.on('error', () => undefined);
    if (this.#content !== undefined) {
      content.resume();
      this.#fail(invalid('The form of the upload has more than one file; send one at a time.'));
      return;
    }
    this.#content = content;
    this.#file.resolve({ name: unescaped(name ?? ''), content });
  }

  #takeField(name: string | undefined, value: string, isCut: boolean): void {
    if (name !== METADATA_PART) {
      const shown = quoted(name ?? '', HEADER_QUOTED_CHARS_MAX);
      const expected = `${FILE_PART} and ${METADATA_PART}`;
      this.#fail(invalid(`The form of the upload has an unknown part '${shown}'; expected ${expected}.`));
    } else if (this.#metadata !== undefined) {
      this.#fail(invalid(`The form of the upload has more than one part named ${METADATA_PART}.`));
    } else if (isCut) {
      this.#fail(invalid(`${METADATA_PART} must be at most ${METADATA_TEXT_BYTES_MAX} bytes as sent.`));
    } else this.#metadata = value;
  }
}

function damaged(): Fault {
  return invalid('The form of the upload is cut off or damaged.');
}

/** The characters that browsers percent-encode in file names of forms. */
const ESCAPES: Readonly<Record<string, string>> = { '%22': '"', '%0D': '\r', '%0A': '\n' };

function unescaped(name: string): string {
  return name.replaceAll(/%(22|0D|0A)/g, (encoded) => ESCAPES[encoded] ?? encoded);
}

/** @throws unsupported-form-type, invalid-argument */
function parserOf(type: string | undefined): BusboyInstance {
  if (type === undefined || !FORM_TYPE.test(type)) throw fault('unsupported-form-type', { type: type ?? '' });
  try {
    return new Busboy({
      headers: { 'content-type': type },
      // Some clients send metadata of type application/json with a file name.
      isPartAFile: (name) => name === FILE_PART,
      limits: {
        fieldSize: METADATA_TEXT_BYTES_MAX,
        headerSize: PART_HEADER_BYTES_MAX,
        headerPairs: PART_HEADERS_MAX,
        parts: PARTS_MAX,
      },
    });
  } catch {
    throw invalid('The Content-Type of the upload names no boundary.');
  }
}
