// The stored pictures of one revision: a blob for each, and a list that describes them.

import { Buffer } from 'node:buffer';
import { BlobMissing, type Blobs } from '../../../blobs/port.ts';
import { type FileRevision, pictureKeys } from '../../../domain/assistants/file.ts';
import { parseOwnJson } from '../../../domain/json.ts';
import { verifiedBytes } from './verified-bytes.ts';

export interface KeptPicture {
  /** From 0, in file order; part of its blob's key. */
  readonly number: number;
  readonly page: number;
  readonly caption: string;
  /** Whether a model wrote the caption. */
  readonly described: boolean;
  readonly mimeType: string;
  readonly bytes: number;
  /** Hexadecimal digest of the picture. */
  readonly sha256: string;
}

export interface PictureList {
  /** Version of the extraction. */
  readonly version: number;
  /** Whether a model described them. */
  readonly described: boolean;
  readonly pictures: readonly KeptPicture[];
  /** The page at which extraction continues; null when it is complete. */
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

  /** Null when no pictures were extracted. */
  async list(): Promise<PictureList | null> {
    try {
      const content = await this.#read(LIST);
      return parseOwnJson<PictureList>(content.toString());
    } catch (error) {
      if (error instanceof BlobMissing) return null;
      throw error;
    }
  }

  /** Write the list last: it must name only stored pictures. */
  async saveList(list: PictureList): Promise<void> {
    await this.#blobs.put(`${this.#prefix}${LIST}`, oneOf(Buffer.from(JSON.stringify(list))));
  }

  async save({ number }: Pick<KeptPicture, 'number'>, bytes: Uint8Array): Promise<void> {
    await this.#blobs.put(`${this.#prefix}${number}`, oneOf(bytes));
  }

  /** @throws BlobMissing when its revision has been cleared; FileDamaged */
  async bytes({ number, sha256 }: Pick<KeptPicture, 'number' | 'sha256'>): Promise<Uint8Array> {
    const content = this.#blobs.get(`${this.#prefix}${number}`);
    return Buffer.concat(await Array.fromAsync(verifiedBytes(content, sha256)));
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
