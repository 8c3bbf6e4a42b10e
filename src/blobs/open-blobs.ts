// Opens the blob storage that the settings name.
import { openFolderBlobs } from './folder/open-folder-blobs.ts';
import type { Blobs } from './port.ts';
import { openS3Blobs, type S3Options } from './s3/open-s3-blobs.ts';

export type BlobLocation =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 's3'; readonly bucket: string; readonly prefix: string };

/** Other servers, and other exports, may use the same folder or bucket. */
export function openBlobs(
  place: BlobLocation,
  access: Pick<S3Options, 'endpoint' | 'region' | 'credentials'>,
): Promise<Blobs> {
  if (place.kind === 'folder') return openFolderBlobs(place.path, { isShared: true });
  const { bucket, prefix } = place;
  return openS3Blobs({ bucket, prefix, ...access });
}
