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

  /** @throws rate-exceeded */
  takeBytes(access: ProjectAccess, bytes: number): void {
    this.#take(access, 'writeMegabytesPerSecond', bytes / MEGABYTE);
  }

  #take(access: ProjectAccess, name: RateName, amount: number): void {
    // The key first: what it refuses does not count for the project.
    this.#takeOf({ kind: 'key', id: access.principalId }, { access, name, amount });
    this.#takeOf({ kind: 'project', id: access.projectId }, { access, name, amount });
  }

  #takeOf(
    subject: QuotaSubject,
    {
      access,
      name,
      amount,
    }: { readonly access: ProjectAccess; readonly name: RateName; readonly amount: number },
  ): void {
    const max = this.#options.quotaOf(subject)[name] ?? 0;
    if (max === 0) return;
    const seconds = this.#bucketOf(name, subject.id, max).take(amount, max, this.#options.now());
    if (seconds === 0) return;
    this.#options.onRefused(access.projectId, name);
    const { message } = fault('rate-exceeded', { max, what: QUOTA_UNITS[name], seconds });
    throw new Fault('rate-exceeded', message, { retryAfterSeconds: seconds });
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
