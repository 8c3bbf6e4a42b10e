// What every operation on S3-compatible storage works with.
import type { S3Client } from '@aws-sdk/client-s3';
import type { S3Limits } from './open-s3-blobs.ts';

export interface S3Context {
  readonly sdk: typeof import('@aws-sdk/client-s3');
  readonly client: S3Client;
  readonly bucket: string;
  /** Put before every key; empty, or with a slash at its end. */
  readonly base: string;
  readonly limits: S3Limits;
}

/** Where a blob lies. */
export function placeOf({ bucket, base }: S3Context, key: string): { Bucket: string; Key: string } {
  return { Bucket: bucket, Key: `${base}${key}` };
}
