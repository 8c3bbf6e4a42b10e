// The pictures of one revision beside its bytes: files of their own, and a list that says what they are.
import { Buffer } from 'node:buffer';
import { BlobMissing, type Blobs } from '../../../blobs/port.ts';
import { type FileRevision, pictureKeys } from '../../../domain/assistants/file.ts';

export interface KeptPicture {
  /** From 0, in the order of the file; names its blob. */
  readonly number: number;
  readonly page: number;
  readonly caption: string;
  /** Whether the caption is what a model said. */
  readonly described: boolean;
  readonly mimeType: string;
  readonly bytes: number;
  /** Of the picture, in hexadecimal digits. */
  readonly sha256: string;
}

export interface PictureList {
  /** Of what took them out. */
  readonly version: number;
  /** Whether a model was asked what they show. */
  readonly described: boolean;
  readonly pictures: readonly KeptPicture[];
  /** Where taking them out goes on; null when all are there. */
  readonly nextPage: number | null;
}

const LIST = 'list';

export class PictureStore {
  readonly #blobs: Pick<Blobs, 'get' | 'put'>;
  readonly #prefix: string;

  constructor(blobs: Pick<Blobs, 'get' | 'put'>, revision: Pick<FileRevision, 'assistantId' | 'id'>) {
    this.#blobs = blobs;
    this.#prefix = pictureKeys(revision);
  }

  /** Null for a file whose pictures nobody took out. */
  async list(): Promise<PictureList | null> {
    try {
      const content = await this.#read(LIST);
      return JSON.parse(content.toString()) as PictureList;
    } catch (error) {
      if (error instanceof BlobMissing) return null;
      throw error;
    }
  }

  /** Names pictures that are stored: it goes last. */
  async saveList(list: PictureList): Promise<void> {
    await this.#blobs.put(`${this.#prefix}${LIST}`, oneOf(Buffer.from(JSON.stringify(list))));
  }

  async save({ number }: Pick<KeptPicture, 'number'>, bytes: Uint8Array): Promise<void> {
    await this.#blobs.put(`${this.#prefix}${number}`, oneOf(bytes));
  }

  /** @throws BlobMissing when its revision has been cleared */
  bytes({ number }: Pick<KeptPicture, 'number'>): Promise<Uint8Array> {
    return this.#read(String(number));
  }

  async #read(name: string): Promise<Buffer> {
    const pieces: Uint8Array[] = [];
    for await (const piece of this.#blobs.get(`${this.#prefix}${name}`)) pieces.push(piece);
    return Buffer.concat(pieces);
  }
}

async function* oneOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
