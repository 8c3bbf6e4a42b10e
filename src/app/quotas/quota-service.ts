// Holds callers to the quotas of their projects and keys. Where nothing is bounded, it costs one comparison a request.
import { setTimeout as sleep } from 'node:timers/promises';
import type { AdministrationStore } from '../../catalog/port.ts';
import type { ProjectAccess } from '../../domain/access.ts';
import type { Actor } from '../../domain/administration/audit.ts';
import { fault } from '../../domain/faults.ts';
import {
  type ProjectUsage,
  QUOTA_UNITS,
  type Quota,
  type QuotaAdministration,
  type QuotaKind,
  type QuotaName,
  type QuotaSubject,
  type SubjectQuota,
} from '../../domain/quotas.ts';
import { setBounded } from '../../platform/bounded-map.ts';
import { GrowthQuotas } from './growth-quotas.ts';
import { QuotaRates } from './quota-rates.ts';

const KINDS: readonly QuotaKind[] = ['project', 'key'];
/** Beyond it, the project is forgotten that was refused first: deleted ones must not pile up. */
const PROJECTS_MAX = 10_000;
const SECOND_MS = 1_000;

export interface QuotaServiceParts {
  readonly store: AdministrationStore['quotas'];
  /** What holds where a subject has nothing of its own, by the settings. */
  readonly defaults: Readonly<Record<QuotaKind, Quota>>;
  readonly usageOf: (projectId: string) => Promise<ProjectUsage>;
  /** Counts files alone, which is asked at each upload. */
  readonly filesOf: (projectId: string) => Promise<number>;
  /** In milliseconds. */
  readonly now?: () => number;
}

interface OwnQuota {
  readonly own: Quota;
  readonly effective: Quota;
}

export interface QuotaRefusals {
  readonly projectId: string;
  readonly name: QuotaName;
  readonly refusals: number;
}

export class QuotaService implements QuotaAdministration {
  /** Of records and of bytes on disk. */
  readonly growth: GrowthQuotas;
  readonly #parts: Required<QuotaServiceParts>;
  readonly #rates: QuotaRates;
  /** What was set, and what therefore holds, by kind and id. */
  readonly #own: Readonly<Record<QuotaKind, Map<string, OwnQuota>>> = { project: new Map(), key: new Map() };
  readonly #refusals = new Map<string, Map<QuotaName, number>>();
  #isAnyBounded = false;
  /** Grows when a change begins and when it ends. */
  #changes = 0;

  constructor(parts: QuotaServiceParts) {
    const now = parts.now ?? (() => performance.now());
    this.#parts = { ...parts, now };
    const onRefused = (projectId: string, name: QuotaName) => this.#countRefusal(projectId, name);
    this.#rates = new QuotaRates({ quotaOf: (subject) => this.effective(subject), onRefused, now });
    this.growth = new GrowthQuotas({
      quotaOf: (id) => (this.#isAnyBounded ? this.effective({ kind: 'project', id }) : {}),
      require: (projectId, name, used) => this.#require(projectId, name, used),
      usageOf: parts.usageOf,
      now,
    });
  }

  /** Reads the quotas from the catalog; again to hear of what other nodes have changed. */
  async load(): Promise<void> {
    const changes = this.#changes;
    const all = await this.#parts.store.list();
    // What was set meanwhile may not be in the list.
    if (changes !== this.#changes) return;
    for (const kind of KINDS) this.#own[kind].clear();
    for (const each of all) this.#put(each);
    this.#noteBounds();
  }

  own(subject: QuotaSubject): Quota {
    return this.#own[subject.kind].get(subject.id)?.own ?? {};
  }

  effective({ kind, id }: QuotaSubject): Quota {
    return this.#own[kind].get(id)?.effective ?? this.#parts.defaults[kind];
  }

  /** Replaces a quota. It holds, and is on disk, when it resolves. */
  async set(changed: SubjectQuota, organizationId: string, by: Actor): Promise<void> {
    this.#changes++;
    await this.#parts.store.set(changed, organizationId, by);
    this.#changes++;
    this.#put(changed);
    this.#noteBounds();
  }

  usage(projectId: string): Promise<ProjectUsage> {
    return this.#parts.usageOf(projectId);
  }

  /** Counts a request. @throws rate-exceeded */
  admitRequest(access: ProjectAccess): void {
    if (this.#isAnyBounded) this.#rates.takeRequest(access);
  }

  /** Counts a request that is part of another one, as soon as the quotas have room for it. @throws the signal's reason */
  async awaitRequest(access: ProjectAccess, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const seconds = this.#isAnyBounded ? this.#rates.tryRequest(access) : 0;
      if (seconds === 0) return;
      await sleep(seconds * SECOND_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }

  /**
   * Counts the bytes of a write.
   * @param isBegun for more of one that was admitted: it is not refused, and the next ones wait for it @throws rate-exceeded
   */
  admitWrite(access: ProjectAccess, bytes: number, isBegun = false): void {
    if (!this.#isAnyBounded) return;
    if (isBegun) this.#rates.addBytes(access, bytes);
    else this.#rates.takeBytes(access, bytes);
  }

  /** @param indexes that the project has @throws quota-exceeded */
  admitIndex(projectId: string, indexes: number): void {
    this.#require(projectId, 'indexes', indexes);
  }

  /** @throws quota-exceeded */
  async admitFile(projectId: string): Promise<void> {
    const { files = 0 } = this.effective({ kind: 'project', id: projectId });
    if (files > 0) this.#require(projectId, 'files', await this.#parts.filesOf(projectId));
  }

  /** Requests refused since the start. @param projectId null for those of all projects */
  refusals(projectId: string | null): readonly QuotaRefusals[] {
    return [...this.#refusals].flatMap(([id, counts]) =>
      projectId === null || projectId === id
        ? [...counts].map(([name, refusals]) => ({ projectId: id, name, refusals }))
        : [],
    );
  }

  #require(projectId: string, name: QuotaName, used: number): void {
    const max = this.effective({ kind: 'project', id: projectId })[name] ?? 0;
    if (max === 0 || used < max) return;
    this.#countRefusal(projectId, name);
    throw fault('quota-exceeded', { max, what: QUOTA_UNITS[name] });
  }

  #countRefusal(projectId: string, name: QuotaName): void {
    const counts = this.#refusals.get(projectId) ?? new Map<QuotaName, number>();
    counts.set(name, (counts.get(name) ?? 0) + 1);
    setBounded(this.#refusals, projectId, counts, PROJECTS_MAX);
  }

  #put({ subject: { kind, id }, quota }: SubjectQuota): void {
    if (Object.keys(quota).length === 0) this.#own[kind].delete(id);
    else this.#own[kind].set(id, { own: quota, effective: { ...this.#parts.defaults[kind], ...quota } });
  }

  #noteBounds(): void {
    const all = KINDS.flatMap((kind) => [
      this.#parts.defaults[kind],
      ...[...this.#own[kind].values()].map(({ own }) => own),
    ]);
    this.#isAnyBounded = all.some((quota) => Object.values(quota).some((max) => max > 0));
  }
}
