// Buckets that the storage provider serves to everyone, read without credentials and from the provider's own hosts only.
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { PrivateAddress, publicLookup } from './public-addresses.ts';
import { openS3Source, refusePrivateEndpoint, type S3Place } from './s3-source.ts';
import { type Source, SourceProblem, SourceUnavailable } from './source.ts';

/** Plain data: workers get it as it is. */
export interface PublicStorage {
  /** The address of a region, which stands in it as `{region}`. */
  readonly endpoint: string;
  /** True in tests only: no public storage is in a private network. */
  readonly mayBePrivate: boolean;
}

export const AWS_STORAGE: PublicStorage = {
  endpoint: 'https://s3.{region}.amazonaws.com',
  mayBePrivate: false,
};

/** The region that knows where all buckets are. */
const FIRST_REGION = 'us-east-1';
const REGION = /^[a-z]{2}(-[a-z]+){1,3}-\d{1,2}$/;
const ANSWER_MS_MAX = 10_000;

/** @throws SourceProblem for a bucket that does not exist, SourceUnavailable when the storage does not answer */
export async function openPublicBucket(place: S3Place, storage: PublicStorage): Promise<Source> {
  const region = await regionOf(place.bucket, storage);
  return openS3Source(place, {
    endpoint: endpointIn(region, storage),
    region,
    credentials: null,
    isAnonymous: true,
    mayBePrivate: storage.mayBePrivate,
  });
}

/** Requests to the host of another region are redirected, but redirects are not followed. */
async function regionOf(bucket: string, storage: PublicStorage): Promise<string> {
  const { statusCode, headers } = await head(`${endpointIn(FIRST_REGION, storage)}/${bucket}`, storage);
  if (statusCode === 404) throw new SourceProblem(`Bucket ${bucket} does not exist.`);
  const region = String(headers['x-amz-bucket-region'] ?? '');
  return REGION.test(region) ? region : FIRST_REGION;
}

function endpointIn(region: string, { endpoint }: PublicStorage): string {
  return endpoint.replace('{region}', region);
}

async function head(url: string, { mayBePrivate }: PublicStorage): Promise<IncomingMessage> {
  refusePrivateEndpoint(url, mayBePrivate);
  const send = url.startsWith('https:') ? httpsRequest : httpRequest;
  const lookup = mayBePrivate ? {} : { lookup: publicLookup };
  const signal = AbortSignal.timeout(ANSWER_MS_MAX);
  try {
    return await new Promise((resolve, reject) => {
      const asked = send(url, { method: 'HEAD', agent: false, signal, ...lookup }, (answer) => {
        answer.resume();
        resolve(answer);
      });
      asked.once('error', reject);
      asked.end();
    });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof PrivateAddress)
      throw new SourceProblem(`The storage cannot be used: ${message}.`, error);
    throw new SourceUnavailable(`Could not reach the storage at ${new URL(url).host}: ${message}`, error);
  }
}
