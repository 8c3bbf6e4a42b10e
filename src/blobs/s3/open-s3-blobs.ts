// Opens S3-compatible storage. Loads the SDK on demand, since most servers never need it.
import type { S3ClientConfig } from '@aws-sdk/client-s3';
import type { Blobs } from '../port.ts';
import { S3Blobs } from './s3-blobs.ts';
import type { S3Limits } from './s3-context.ts';

export interface S3Options {
  readonly bucket: string;
  /** Prefix of every key, without a trailing slash; empty for the whole bucket. */
  readonly prefix: string;
  /** Null for AWS. */
  readonly endpoint: string | null;
  readonly region: string;
  /** Null for the credentials of the environment. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null;
  readonly limits?: Partial<S3Limits>;
}

/**
 * Of idle times that a connection may be silent. While content is sent, the last of it waits in buffers of the system, where
 * nobody sees it leave. Until a head and between pieces of an answer, shorter times count.
 */
const SOCKET_IDLE_TIMES = 4;
const LIMITS: S3Limits = { connectMs: 5_000, idleMs: 30_000, attemptsMax: 5, partBytes: 8 * 1024 * 1024 };

/** Sends no request yet. */
export async function openS3Blobs(options: S3Options): Promise<Blobs> {
  const { bucket, prefix } = options;
  const limits = { ...LIMITS, ...options.limits };
  const sdk = await import('@aws-sdk/client-s3');
  const client = new sdk.S3Client(clientConfig(options, limits));
  return new S3Blobs({ sdk, client, bucket, base: prefix === '' ? '' : `${prefix}/`, limits });
}

function clientConfig({ endpoint, region, credentials }: S3Options, limits: S3Limits): S3ClientConfig {
  return {
    region,
    maxAttempts: limits.attemptsMax,
    // Other servers support neither per-bucket host names nor the newer checksums; parts carry an MD5 instead.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: limits.connectMs,
      // From the beginning of a request to the head of its answer: `upload` adds the time of what it sends.
      requestTimeout: limits.idleMs,
      throwOnRequestTimeout: true,
      socketTimeout: SOCKET_IDLE_TIMES * limits.idleMs,
    },
    ...(endpoint === null ? {} : { endpoint, forcePathStyle: true }),
    ...(credentials === null ? {} : { credentials }),
  };
}
