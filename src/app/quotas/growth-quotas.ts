// Holds projects to their quotas of records and of bytes on disk: by a count that is made anew every few seconds, and what
// was admitted since, where its size is known.
import type { ProjectAccess } from '../../domain/access.ts';
import type { Archive } from '../../domain/backups/archive.ts';
import type { ProjectUsage, Quota, QuotaName } from '../../domain/quotas.ts';
import { setBounded } from '../../platform/bounded-map.ts';

/** How long a count of records and of bytes on disk is used. */
const USAGE_MS = 5_000;
/** Beyond it, the project is forgotten that was counted first: deleted ones must not pile up. */
const PROJECTS_MAX = 10_000;
const MEGABYTE = 1_000_000;
const NOTHING: Growth = { records: 0, storageMegabytes: 0 };

export interface GrowthQuotasParts {
  /** What holds for a project; empty where nothing is bounded. */
  readonly quotaOf: (projectId: string) => Quota;
  /** @throws quota-exceeded */
  readonly require: (projectId: string, name: QuotaName, used: number) => void;
  readonly usageOf: (projectId: string) => Promise<ProjectUsage>;
  /** In milliseconds. */
  readonly now: () => number;
}

type Growth = Pick<ProjectUsage, 'records' | 'storageMegabytes'>;

interface Counted {
  readonly at: number;
  readonly usage: Promise<ProjectUsage>;
  /** What was admitted since, of which the size is known. */
  coming: Growth;
}

export class GrowthQuotas {
  readonly #parts: GrowthQuotasParts;
  readonly #counted = new Map<string, Counted>();

  constructor(parts: GrowthQuotasParts) {
    this.#parts = parts;
  }

  /**
   * For requests that may add records. What was written in the last seconds may not be counted yet.
   * @throws quota-exceeded
   */
  async admitGrowth({ projectId }: Pick<ProjectAccess, 'projectId'>): Promise<void> {
    await this.#admit(projectId);
  }

  /**
   * For jobs that add records, when their work begins: those that ended meanwhile are counted.
   * @throws quota-exceeded
   */
  async admitStart({ projectId }: Pick<ProjectAccess, 'projectId'>): Promise<void> {
    this.#counted.delete(projectId);
    await this.#admit(projectId);
  }

  /**
   * For requests that begin copies of a known size: it counts at once, so that the next one is measured against it, and
   * no more where `begin` fails. @throws quota-exceeded and what `begin` does
   */
  async admitCopy<Result>(
    { projectId }: Pick<ProjectAccess, 'projectId'>,
    { recordCount, sizeBytes }: Pick<Archive, 'recordCount' | 'sizeBytes'>,
    begin: () => Promise<Result>,
  ): Promise<Result> {
    const copied = { records: recordCount, storageMegabytes: sizeBytes / MEGABYTE };
    const counted = await this.#admit(projectId, copied);
    try {
      return await begin();
    } catch (error) {
      if (counted !== null) addComing(counted, copied, -1);
      throw error;
    }
  }

  /** @param coming is counted from then on @returns the count; null where nothing is bounded @throws quota-exceeded */
  async #admit(projectId: string, coming = NOTHING): Promise<Counted | null> {
    const { quotaOf, require } = this.#parts;
    const { records = 0, storageMegabytes = 0 } = quotaOf(projectId);
    if (records === 0 && storageMegabytes === 0) return null;
    const counted = this.#countedUsage(projectId);
    const used = await counted.usage;
    require(projectId, 'records', used.records + counted.coming.records);
    require(projectId, 'storageMegabytes', used.storageMegabytes + counted.coming.storageMegabytes);
    // Before anything else is awaited: requests that come at once see what each other adds.
    addComing(counted, coming, 1);
    return counted;
  }

  #countedUsage(projectId: string): Counted {
    const now = this.#parts.now();
    const known = this.#counted.get(projectId);
    if (known !== undefined && now - known.at < USAGE_MS) return known;
    const usage = this.#parts.usageOf(projectId);
    const counted: Counted = { at: now, usage, coming: NOTHING };
    setBounded(this.#counted, projectId, counted, PROJECTS_MAX);
    // A failure is told to those who wait; the next request counts again.
    usage.catch(() => this.#counted.delete(projectId));
    return counted;
  }
}

function addComing(counted: Counted, { records, storageMegabytes }: Growth, sign: 1 | -1): void {
  counted.coming = {
    records: counted.coming.records + sign * records,
    storageMegabytes: counted.coming.storageMegabytes + sign * storageMegabytes,
  };
}
