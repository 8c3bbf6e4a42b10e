// The rates of projects and keys: how many requests, and bytes of writes, each has sent lately.
import type { ProjectAccess } from '../../domain/access.ts';
import { Fault, fault } from '../../domain/faults.ts';
import { QUOTA_UNITS, type Quota, type QuotaName, type QuotaSubject } from '../../domain/quotas.ts';
import { setBounded } from '../../platform/bounded-map.ts';
import { RateBucket } from './rate-bucket.ts';

type RateName = Extract<QuotaName, 'requestsPerSecond' | 'writeMegabytesPerSecond'>;

/** Buckets remembered of each quota; beyond these, the one made longest ago is forgotten, and so begins full again. */
const BUCKETS_MAX = 10_000;
const MEGABYTE = 1_000_000;

export interface QuotaRatesOptions {
  readonly quotaOf: (subject: QuotaSubject) => Quota;
  readonly onRefused: (projectId: string, name: QuotaName) => void;
  /** In milliseconds. */
  readonly now: () => number;
}

interface Bound {
  readonly bucket: RateBucket;
  /** Per second. */
  readonly max: number;
}

interface Refusal {
  /** Per second. */
  readonly max: number;
  /** After which something is left. */
  readonly seconds: number;
}

export class QuotaRates {
  readonly #options: QuotaRatesOptions;
  /** By quota and the id of a project or key, made longest ago first. */
  readonly #buckets: Readonly<Record<RateName, Map<string, RateBucket>>> = {
    requestsPerSecond: new Map(),
    writeMegabytesPerSecond: new Map(),
  };

  constructor(options: QuotaRatesOptions) {
    this.#options = options;
  }

  /** @throws rate-exceeded */
  takeRequest(access: ProjectAccess): void {
    this.#take(access, 'requestsPerSecond', 1);
  }

  /** Takes a request where quotas allow it; a refusal is not counted. @returns 0, or after how many seconds to try again */
  tryRequest(access: ProjectAccess): number {
    return this.#refusal(access, 'requestsPerSecond', 1)?.seconds ?? 0;
  }

  /** @throws rate-exceeded */
  takeBytes(access: ProjectAccess, bytes: number): void {
    this.#take(access, 'writeMegabytesPerSecond', bytes / MEGABYTE);
  }

  /** Takes bytes however little is left. */
  addBytes(access: ProjectAccess, bytes: number): void {
    const name = 'writeMegabytesPerSecond';
    for (const { bucket } of this.#boundsOf(access, name)) bucket.take(bytes / MEGABYTE);
  }

  #take(access: ProjectAccess, name: RateName, amount: number): void {
    const refusal = this.#refusal(access, name, amount);
    if (refusal === null) return;
    this.#options.onRefused(access.projectId, name);
    const { message } = fault('rate-exceeded', { ...refusal, what: QUOTA_UNITS[name] });
    throw new Fault('rate-exceeded', message, { retryAfterSeconds: refusal.seconds });
  }

  /** Takes from all buckets or, where one of them has nothing left, from none. */
  #refusal(access: ProjectAccess, name: RateName, amount: number): Refusal | null {
    const bounds = this.#boundsOf(access, name);
    for (const { bucket, max } of bounds) {
      const seconds = bucket.secondsUntilLeft(max, this.#options.now());
      if (seconds > 0) return { max, seconds };
    }
    for (const { bucket } of bounds) bucket.take(amount);
    return null;
  }

  #boundsOf({ principalId, principalType, projectId }: ProjectAccess, name: RateName): readonly Bound[] {
    const bounds: Bound[] = [];
    const project = { kind: 'project', id: projectId } as const;
    // People, whom no administrator can give a quota, are bounded by their project alone.
    const isKey = principalType === undefined;
    for (const subject of isKey ? [{ kind: 'key', id: principalId } as const, project] : [project]) {
      const max = this.#options.quotaOf(subject)[name] ?? 0;
      if (max > 0) bounds.push({ bucket: this.#bucketOf(name, subject.id, max), max });
    }
    return bounds;
  }

  #bucketOf(name: RateName, id: string, perSecond: number): RateBucket {
    const buckets = this.#buckets[name];
    const known = buckets.get(id);
    if (known !== undefined) return known;
    const bucket = new RateBucket(perSecond, this.#options.now());
    setBounded(buckets, id, bucket, BUCKETS_MAX);
    return bucket;
  }
}
