// The context of every operation on S3-compatible storage.
import type { S3Client } from '@aws-sdk/client-s3';

/** Times in milliseconds. */
export interface S3Limits {
  readonly connectMs: number;
  /** Without a byte from the server, apart from the time that content takes to be sent. */
  readonly idleMs: number;
  /** Attempts of a request, and of a read without progress. */
  readonly attemptsMax: number;
  /** Largest content of a single request, and smallest part of longer content. */
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

/** Returns the location of a blob. */
export function placeOf({ bucket, base }: S3Context, key: string): { Bucket: string; Key: string } {
  return { Bucket: bucket, Key: `${base}${key}` };
}
