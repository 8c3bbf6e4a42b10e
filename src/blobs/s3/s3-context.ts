// What every operation on S3-compatible storage works with.
import type { S3Client } from '@aws-sdk/client-s3';

/** Times in milliseconds. */
export interface S3Limits {
  readonly connectMs: number;
  /** Without a byte from the server. */
  readonly idleMs: number;
  /** Tries of a request, and of a reading that is cut off without a byte in between. */
  readonly attemptsMax: number;
  /** Longest content that is sent in one request, and the shortest part of what is longer. */
  readonly partBytes: number;
}

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
