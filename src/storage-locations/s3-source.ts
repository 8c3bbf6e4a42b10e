// Reads files below a prefix of a bucket in S3-compatible storage.
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import { membersOf } from '../domain/json.ts';
import { isPrivateHost, publicLookup } from './public-addresses.ts';
import {
  checkedFiles,
  FILES_MAX,
  type OpenFile,
  type Source,
  type SourceFile,
  SourceProblem,
  SourceUnavailable,
} from './source.ts';

const CONNECT_MS_MAX = 5_000;
/** Attempts to read a range whose response is interrupted, which the SDK does not retry. */
const READS_MAX = 3;

export interface S3SourceLimits {
  /** Longest time without a byte from the storage. */
  readonly idleMs: number;
  /** Longest time for a range of a few megabytes. */
  readonly readMs: number;
  readonly attemptsMax: number;
}

const LIMITS: S3SourceLimits = { idleMs: 30_000, readMs: 120_000, attemptsMax: 5 };

export interface S3Access {
  /** Null for that of AWS. */
  readonly endpoint: string | null;
  readonly region: string;
  /** Null for credentials from the environment of the process. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null;
  /** Sends requests without credentials, whatever the environment has. */
  readonly isAnonymous?: boolean;
  /** Whether the storage may be in a private network. */
  readonly mayBePrivate: boolean;
  /** Default LIMITS. */
  readonly limits?: S3SourceLimits;
}

export interface S3Place {
  readonly bucket: string;
  readonly prefix: string;
}

/** Loads the SDK, which most servers never need, without contacting the storage. @throws SourceProblem */
export async function openS3Source(place: S3Place, access: S3Access): Promise<Source> {
  const { endpoint, mayBePrivate } = access;
  if (endpoint !== null) refusePrivateEndpoint(endpoint, mayBePrivate);
  const sdk = await import('@aws-sdk/client-s3');
  const { readMs } = access.limits ?? LIMITS;
  return new S3Source({ sdk, client: new sdk.S3Client(clientConfig(access)), place, readMs });
}

/** Checks a literal address; names are checked when they are resolved. @throws SourceProblem */
export function refusePrivateEndpoint(endpoint: string, mayBePrivate: boolean): void {
  if (mayBePrivate || !isPrivateHost(new URL(endpoint).hostname)) return;
  throw new SourceProblem('The storage is in a private network. Set PINYON_PRIVATE_STORAGE to allow it.');
}

/** The SDK requires credentials, which the signer then leaves out. */
const ANONYMOUS: Pick<S3ClientConfig, 'credentials' | 'signer'> = {
  credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
  signer: { sign: async (request) => request },
};

function clientConfig(access: S3Access): S3ClientConfig {
  const { endpoint, region, credentials, isAnonymous = false, mayBePrivate, limits = LIMITS } = access;
  const agent = mayBePrivate ? { keepAlive: true } : { keepAlive: true, lookup: publicLookup };
  return {
    region,
    maxAttempts: limits.attemptsMax,
    // Servers other than AWS support neither the newer checksums nor host names for each bucket.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: CONNECT_MS_MAX,
      requestTimeout: limits.idleMs,
      socketTimeout: limits.idleMs,
      throwOnRequestTimeout: true,
      httpAgent: new HttpAgent(agent),
      httpsAgent: new HttpsAgent(agent),
    },
    ...(endpoint === null ? {} : { endpoint, forcePathStyle: true }),
    ...(isAnonymous ? ANONYMOUS : credentials === null ? {} : { credentials }),
  };
}

interface S3Parts {
  readonly sdk: typeof import('@aws-sdk/client-s3');
  readonly client: S3Client;
  readonly place: S3Place;
  readonly readMs: number;
}

class S3Source implements Source {
  readonly #parts: S3Parts;
  readonly #base: string;

  constructor(parts: S3Parts) {
    this.#parts = parts;
    const { prefix } = parts.place;
    this.#base = prefix === '' ? '' : `${prefix}/`;
  }

  async list(): Promise<readonly SourceFile[]> {
    const { sdk, client, place } = this.#parts;
    const files: SourceFile[] = [];
    let token: string | undefined;
    do {
      const command = new sdk.ListObjectsV2Command({
        Bucket: place.bucket,
        Prefix: this.#base,
        ...(token === undefined ? {} : { ContinuationToken: token }),
      });
      const page = await orSourceError(`list s3://${place.bucket}/${this.#base}`, () => client.send(command));
      for (const { Key = '', Size = 0, ETag = '' } of page.Contents ?? []) {
        // Consoles create empty objects for folders.
        if (!Key.endsWith('/'))
          files.push({ path: Key.slice(this.#base.length), bytes: Size, version: ETag });
      }
      token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
    } while (token !== undefined && files.length <= FILES_MAX);
    return checkedFiles(files);
  }

  async open({ path, bytes, version }: SourceFile): Promise<OpenFile> {
    return {
      size: bytes,
      read: (start, end) => this.#read({ path, version, start, end }),
      close: async () => {},
    };
  }

  async close(): Promise<void> {
    this.#parts.client.destroy();
  }

  async #read(request: {
    readonly path: string;
    readonly version: string;
    readonly start: number;
    readonly end: number;
  }): Promise<Uint8Array> {
    const { path, version, start, end } = request;
    if (start === end) return new Uint8Array(0);
    const { sdk, client, place, readMs } = this.#parts;
    const command = new sdk.GetObjectCommand({
      Bucket: place.bucket,
      Key: `${this.#base}${path}`,
      Range: `bytes=${start}-${end - 1}`,
      ...(version === '' ? {} : { IfMatch: version }),
    });
    const bytes = await withTries(() =>
      orSourceError(`read ${path}`, async () => {
        const abortSignal = AbortSignal.timeout(readMs);
        const { Body } = await client.send(command, { abortSignal });
        return (await Body?.transformToByteArray()) ?? new Uint8Array(0);
      }),
    );
    if (bytes.byteLength !== end - start) {
      throw new SourceProblem(`The size of file ${path} differs from the listed size.`);
    }
    return bytes;
  }
}

async function withTries<Value>(work: () => Promise<Value>): Promise<Value> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof SourceUnavailable) || attempt === READS_MAX) throw error;
    }
  }
}

const FOR_GOOD: Readonly<Record<number, string>> = {
  301: 'the bucket is in another region',
  400: 'it refuses the request',
  401: 'it refuses the credentials',
  403: 'it refuses access',
  404: 'it does not exist',
  412: 'it has changed during the import',
};

/** @throws SourceProblem for errors that a retry would not fix; SourceUnavailable for others */
async function orSourceError<Value>(what: string, ask: () => Promise<Value>): Promise<Value> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof SourceProblem) throw error;
    const { name = '', message = '', code, $metadata: metadata } = membersOf(error);
    if (code === 'EPRIVATE')
      throw new SourceProblem(`The storage cannot be used to ${what}: ${message}.`, error);
    const reason = FOR_GOOD[Number(membersOf(metadata).httpStatusCode ?? 0)];
    if (reason !== undefined) throw new SourceProblem(`Could not ${what}: ${reason} (${name}).`, error);
    throw new SourceUnavailable(`Could not ${what}: ${name} ${message}`, error);
  }
}
