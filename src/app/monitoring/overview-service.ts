// Gathers the overview of a project from the indexes, the engine, the request meter and the jobs.
import type { JobStore } from '../../catalog/port.ts';
import type { ProjectAccess } from '../../domain/access.ts';
import type { IndexDirectory, IndexLifecycle } from '../../domain/index-lifecycle.ts';
import { type Index, type IndexSize, storageIdOf } from '../../domain/index-model.ts';
import type { IndexOverview, Overview, Overviews, RequestFigures } from '../../domain/overview.ts';
import { bytesInMemory, type IndexMetrics } from '../../engine/port/engine-metrics.ts';
import type { EngineMetrics, VectorStore } from '../../engine/port/vector-store.ts';
import { type OperationMeter, quantileMs, type RequestMeter } from './request-meter.ts';

/** Indexes that a reading opens to count their records. */
const COUNTED_MAX = 50;

export interface OverviewParts {
  readonly indexes: Pick<IndexLifecycle, 'list'>;
  readonly directory: Pick<IndexDirectory, 'profile'>;
  readonly engine: Pick<VectorStore, 'metrics' | 'sizeOf'>;
  readonly meter: Pick<RequestMeter, 'of'>;
  readonly jobs: Pick<JobStore, 'active'>;
  /** Given the metrics of the project's indexes. */
  readonly warnings: (access: ProjectAccess, metrics: EngineMetrics) => Promise<readonly string[]>;
}

export class OverviewService implements Overviews {
  readonly #parts: OverviewParts;

  constructor(parts: OverviewParts) {
    this.#parts = parts;
  }

  async read(access: ProjectAccess): Promise<Overview> {
    const { indexes, directory, engine, jobs, warnings } = this.#parts;
    const own = await indexes.list(access);
    const metrics = await engine.metrics(own.flatMap(({ id }) => directory.profile(id) ?? []));
    const byStorage = new Map(metrics.indexes.map((each) => [each.indexId, each]));
    const byId = new Map(own.map((index) => [index.id, byStorage.get(storageIdOf(index))]));
    // Those of other nodes have no figures here.
    const isUnknown = ({ id, placement }: Index) =>
      byId.get(id) === undefined ? placement !== undefined : byId.get(id)?.records === null;
    const unopened = own.filter(isUnknown).slice(0, COUNTED_MAX);
    const counted = new Map(await Promise.all(unopened.map((index) => this.#count(index))));
    const active = await jobs.active({});
    return {
      indexes: own.map((index) => this.#overviewOf(index, byId.get(index.id), counted.get(index.id))),
      jobs: active.filter(({ projectId }) => projectId === access.projectId),
      warnings: await warnings(access, metrics),
    };
  }

  /** The id of the index and its size; null for one that is deleted meanwhile, or whose node does not answer. */
  async #count({ id }: Index): Promise<readonly [string, IndexSize | null]> {
    const profile = this.#parts.directory.profile(id);
    if (profile === undefined) return [id, null];
    return [id, await this.#parts.engine.sizeOf(profile).catch(() => null)];
  }

  #overviewOf(
    index: Index,
    metrics: IndexMetrics | undefined,
    counted: IndexSize | null | undefined,
  ): IndexOverview {
    const memory = metrics?.memory ?? null;
    return {
      index,
      records: metrics?.records ?? counted?.records ?? null,
      bytesOnDisk: counted?.bytes ?? metrics?.bytesOnDisk ?? null,
      bytesInMemory: memory === null ? 0 : bytesInMemory(memory),
      queries: figuresOf(this.#parts.meter.of(index.id).get('query')),
    };
  }
}

const NO_REQUESTS: RequestFigures = {
  count: 0,
  errors: 0,
  p50Ms: null,
  p99Ms: null,
  expectedRecall: null,
  auditedRecall: null,
  promisedRecall: null,
};

function figuresOf(meter: OperationMeter | undefined): RequestFigures {
  if (meter === undefined) return NO_REQUESTS;
  const errors = [...meter.errors.values()].reduce((sum, count) => sum + count, 0);
  const { count, expectedRecall, auditedRecall, promisedRecall } = meter;
  const latency = { p50Ms: quantileMs(meter, 0.5), p99Ms: quantileMs(meter, 0.99) };
  return { count, errors, ...latency, expectedRecall, auditedRecall, promisedRecall };
}
