// The rates of projects and keys: how many requests, and bytes of writes, each has sent lately.
import type { ProjectAccess } from '../../domain/access.ts';
import { Fault, fault } from '../../domain/faults.ts';
import { QUOTA_UNITS, type Quota, type QuotaName, type QuotaSubject } from '../../domain/quotas.ts';
import { RateBucket } from './rate-bucket.ts';

type RateName = Extract<QuotaName, 'requestsPerSecond' | 'writeMegabytesPerSecond'>;

/** Buckets remembered; beyond these, the one used longest ago is forgotten. */
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
  /** Used longest ago first. */
  readonly #buckets = new Map<string, RateBucket>();

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
    const seconds = this.#bucketOf(`${name} ${subject.id}`, max).take(amount, max, this.#options.now());
    if (seconds === 0) return;
    this.#options.onRefused(access.projectId, name);
    const { message } = fault('rate-exceeded', { max, what: QUOTA_UNITS[name], seconds });
    throw new Fault('rate-exceeded', message, { retryAfterSeconds: seconds });
  }

  #bucketOf(key: string, perSecond: number): RateBucket {
    const bucket = this.#buckets.get(key) ?? new RateBucket(perSecond, this.#options.now());
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > BUCKETS_MAX && oldest !== undefined) this.#buckets.delete(oldest);
    return bucket;
  }
}
