// The service for maps: makes them by jobs, shows them, and renews in the background those that people look at.
import { fault, invalid } from '../../domain/faults.ts';
import { type Index, isReady, profileOf } from '../../domain/index-model.ts';
import { isActive, type Job } from '../../domain/jobs.ts';
import type {
  MapDetails,
  MapPage,
  MapPoints,
  MapSummary,
  MapWork,
  NamespaceMaps,
} from '../../domain/maps/namespace-maps.ts';
import type { NamespaceSummary, VectorReader } from '../../engine/port/reader-and-writer.ts';
import { idsIn, type MapContent } from '../../projection/map-file.ts';
import { sweepHourly } from '../import-export/sweep-hourly.ts';
import { IndexJobStarter, type IndexJobStarterParts } from '../index-job-starter.ts';
import { isOf, type LeftMapsParts, removeLeftMaps } from './left-maps.ts';
import { MAP_KIND } from './map-job.ts';
import { namespaceHash } from './map-store.ts';

const RENEWAL_CHECK_MS = 30_000;
/** A map is renewed at most this often, and takes at most one part in so many of the time. */
const RENEWAL = { pauseMsMin: 60_000, pausePerMaking: 20, pauseMsAfterFailure: 3_600_000 };
/** Maps that nobody has looked at for so long are not renewed. */
const WATCHED_MS = 86_400_000;
const WATCHED_MAX = 200;

export interface MapServiceParts extends IndexJobStarterParts, LeftMapsParts {
  readonly now?: () => number;
}

interface Watched {
  readonly indexId: string;
  readonly namespace: string;
  readonly seenAt: number;
}

export class MapService implements NamespaceMaps {
  readonly #parts: MapServiceParts;
  readonly #starter: IndexJobStarter;
  readonly #watched = new Map<string, Watched>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #renewing: Promise<void> = Promise.resolve();
  #endSweeping = async (): Promise<void> => {};

  constructor(parts: MapServiceParts) {
    this.#parts = parts;
    this.#starter = new IndexJobStarter(parts, MAP_KIND);
  }

  /** Begins to renew maps, and to remove what deleted namespaces and indexes have left: now, and each hour. */
  start(): void {
    const { onFailure } = this.#parts;
    this.#endSweeping = sweepHourly([() => this.removeLeft()], onFailure);
    this.#timer = setInterval(() => {
      this.#renewing = this.#renewing.then(() => this.renewWatched()).catch(onFailure);
    }, RENEWAL_CHECK_MS).unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#isClosed = true;
    await Promise.all([this.#renewing, this.#endSweeping()]);
  }

  /** Removes the maps of namespaces that are gone, whoever has deleted them, or that others have replaced. */
  removeLeft(): Promise<void> {
    return removeLeftMaps(this.#parts, () => this.#isClosed);
  }

  async describe(index: Index, namespace: string): Promise<MapDetails> {
    this.#watch(index, namespace);
    return (await this.#state(index, namespace)).details;
  }

  async make(index: Index, namespace: string): Promise<MapDetails> {
    this.#watch(index, namespace);
    const { details } = await this.#state(index, namespace);
    if (details.isCurrent) return details;
    const job = await this.#starter.start(index, workOn(namespace));
    return { ...details, work: workOf(job) };
  }

  async points(index: Index, namespace: string, page: MapPage): Promise<MapPoints> {
    const { summary } = await this.#requireNamespace(index, namespace);
    const map = await this.#mapOf(index, namespace, summary);
    if (map === null) throw fault('map-not-found');
    const from = Math.min(page.offset, map.count);
    const until = Math.min(from + page.limit, map.count);
    const column = map.columns.findIndex(({ name }) => name === page.field);
    if (page.field !== null && column === -1) {
      const known = map.columns.map(({ name }) => name).join(', ');
      throw invalid(`field must be one of the map's: ${known || 'it has none'}`);
    }
    return {
      madeAt: map.madeAt,
      count: map.count,
      x: page.hasPositions ? [...map.x.subarray(from, until)] : null,
      y: page.hasPositions ? [...map.y.subarray(from, until)] : null,
      ids: page.hasIds ? idsIn(map, from, until) : null,
      codes: page.field === null ? null : [...(map.codes[column]?.subarray(from, until) ?? [])],
    };
  }

  /** Makes those maps anew that people have looked at and that are no longer current. */
  async renewWatched(): Promise<void> {
    const now = this.#now();
    for (const [key, { indexId, namespace, seenAt }] of this.#watched) {
      const index = this.#parts.indexById(indexId);
      if (index === undefined || now - seenAt > WATCHED_MS) this.#watched.delete(key);
      else if (isReady(index.state)) await this.#renew(index, namespace);
    }
  }

  async #renew(index: Index, namespace: string): Promise<void> {
    const summary = await this.#parts.engine.reader(profileOf(index)).describeNamespace(namespace);
    if (summary === null) return this.#parts.maps.remove(index.id, namespace);
    const { details, job } = await this.#state(index, namespace);
    if (details.map === null || details.isCurrent || job === undefined || isActive(job)) return;
    const ended = Date.parse(job.finishedAt ?? job.createdAt);
    const took = ended - Date.parse(job.startedAt ?? job.createdAt);
    const { pauseMsMin, pausePerMaking, pauseMsAfterFailure } = RENEWAL;
    const pause =
      job.state === 'Completed' ? Math.max(pauseMsMin, pausePerMaking * took) : pauseMsAfterFailure;
    if (this.#now() - ended >= pause) await this.#starter.start(index, workOn(namespace));
  }

  /** @throws namespace-not-found */
  async #state(index: Index, namespace: string): Promise<{ details: MapDetails; job: Job | undefined }> {
    const { reader, summary } = await this.#requireNamespace(index, namespace);
    const map = await this.#mapOf(index, namespace, summary);
    const job = await this.#starter.latest(index, namespaceHash(namespace));
    const work = job === undefined ? null : workOf(job);
    const isCurrent = map !== null && map.lsn >= (await reader.lsn());
    return { details: { map: map === null ? null : summaryOf(map), isCurrent, work }, job };
  }

  /** A deleted namespace takes its map along. @throws namespace-not-found */
  async #requireNamespace(
    index: Index,
    namespace: string,
  ): Promise<{ readonly reader: VectorReader; readonly summary: NamespaceSummary }> {
    const reader = this.#parts.engine.reader(profileOf(index));
    const summary = await reader.describeNamespace(namespace);
    if (summary !== null) return { reader, summary };
    await this.#parts.maps.remove(index.id, namespace);
    throw fault('namespace-not-found');
  }

  /**
   * Null for that of a namespace of the same name which was deleted, and for one of other storage, whose numbers do not tell:
   * it is removed.
   */
  async #mapOf(
    index: Index,
    namespace: string,
    { number }: Pick<NamespaceSummary, 'number'>,
  ): Promise<MapContent | null> {
    const { maps } = this.#parts;
    const map = await maps.read(index.id, namespace);
    if (map === null || isOf(map, index, number)) return map;
    await maps.remove(index.id, namespace);
    return null;
  }

  #watch({ id }: Index, namespace: string): void {
    const key = `${id}/${namespaceHash(namespace)}`;
    this.#watched.delete(key);
    this.#watched.set(key, { indexId: id, namespace, seenAt: this.#now() });
    const [oldest] = this.#watched.keys();
    if (this.#watched.size > WATCHED_MAX && oldest !== undefined) this.#watched.delete(oldest);
  }

  #now(): number {
    return this.#parts.now?.() ?? Date.now();
  }
}

function workOn(namespace: string) {
  return { subject: namespaceHash(namespace), input: { namespace } };
}

/** Null for a job whose result says enough. */
function workOf(job: Job): MapWork | null {
  const { state, percent, error } = job;
  if (state === 'Pending') return { state, percent: 0, error: null };
  if (state === 'Running') return { state, percent, error: null };
  return state === 'Completed' || state === 'Cancelled' ? null : { state: 'Failed', percent, error };
}

function summaryOf({ count, total, madeAt, columns }: MapContent): MapSummary {
  return { points: count, total, madeAt, fields: columns };
}
