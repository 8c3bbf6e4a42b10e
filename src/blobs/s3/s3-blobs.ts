// The blob port over S3-compatible object storage.
import { checkBlobKey, checkBlobPrefix } from '../blob-keys.ts';
import {
  BLOB_PAGE_MAX,
  type BlobDetails,
  BlobExists,
  type BlobPage,
  type BlobRange,
  type Blobs,
  type PutOptions,
} from '../port.ts';
import { placeOf, type S3Context } from './s3-context.ts';
import { download } from './s3-download.ts';
import { HTTP_NOT_FOUND, statusOf, unavailable } from './s3-errors.ts';
import { upload } from './s3-upload.ts';

export class S3Blobs implements Blobs {
  readonly #context: S3Context;

  constructor(context: S3Context) {
    this.#context = context;
  }

  async put(
    key: string,
    content: AsyncIterable<Uint8Array>,
    { ifAbsent = false, signal }: PutOptions = {},
  ): Promise<{ readonly bytes: number }> {
    checkBlobKey(key);
    // Saves sending the content; the storage decides between concurrent puts.
    if (ifAbsent && (await this.head(key)) !== null) throw new BlobExists(key);
    return upload(this.#context, { key, content, ifAbsent, signal });
  }

  async *get(key: string, range: BlobRange = { first: 0 }): AsyncIterable<Uint8Array> {
    checkBlobKey(key);
    yield* download(this.#context, key, range);
  }

  async head(key: string): Promise<BlobDetails | null> {
    checkBlobKey(key);
    const { sdk, client } = this.#context;
    try {
      const details = await client.send(new sdk.HeadObjectCommand(placeOf(this.#context, key)));
      return { key, bytes: details.ContentLength ?? 0, modifiedAt: timeOf(details.LastModified) };
    } catch (error) {
      if (statusOf(error) === HTTP_NOT_FOUND) return null;
      throw unavailable('look for a blob', error);
    }
  }

  async list(prefix: string, cursor: string | null, limit = BLOB_PAGE_MAX): Promise<BlobPage> {
    checkBlobPrefix(prefix);
    const { sdk, client, bucket, base } = this.#context;
    const command = new sdk.ListObjectsV2Command({
      Bucket: bucket,
      Prefix: `${base}${prefix}`,
      MaxKeys: limit,
      ...(cursor === null ? {} : { StartAfter: `${base}${cursor}` }),
    });
    try {
      const { Contents: found = [], IsTruncated: goesOn } = await client.send(command);
      const items = found.map(({ Key = '', Size = 0, LastModified }) => ({
        key: Key.slice(base.length),
        bytes: Size,
        modifiedAt: timeOf(LastModified),
      }));
      return { items, next: goesOn === true ? (items.at(-1)?.key ?? null) : null };
    } catch (error) {
      throw unavailable('list blobs', error);
    }
  }

  async delete(key: string): Promise<void> {
    checkBlobKey(key);
    const { sdk, client } = this.#context;
    try {
      await client.send(new sdk.DeleteObjectCommand(placeOf(this.#context, key)));
    } catch (error) {
      if (statusOf(error) !== HTTP_NOT_FOUND) throw unavailable('delete a blob', error);
    }
  }

  async close(): Promise<void> {
    this.#context.client.destroy();
  }
}

function timeOf(time: Date | undefined): string {
  return (time ?? new Date(0)).toISOString();
}
