// Gathers what monitoring shows to one project, or to the operator of all: indexes with their engine statistics and
// requests, the files of assistants, and jobs.
import type { AssistantFileStore, FileCount, JobCount, JobStore } from '../../catalog/port.ts';
import type { ProjectAccess } from '../../domain/access.ts';
import type { RemovalFigures } from '../../domain/expiry/services.ts';
import type { IndexDirectory, IndexLifecycle } from '../../domain/index-lifecycle.ts';
import { type Index, storageIdOf } from '../../domain/index-model.ts';
import type {
  IndexMetrics,
  MemoryFigures,
  OpenIndexFigures,
  ThreadMetrics,
  VectorStore,
} from '../../engine/port/vector-store.ts';
import type { ProviderSignInService, SignInCounts } from '../access/provider/provider-sign-in-service.ts';
import type { WrongCredentials } from '../access/wrong-credentials.ts';
import type { DamagedArchive } from '../backups/damaged-archives.ts';
import type { QuotaRefusals, QuotaService } from '../quotas/quota-service.ts';
import type { JobFailures } from './job-meter.ts';
import type { McpMeter, ToolCallCount } from './mcp-meter.ts';
import type { IndexMeter, RequestMeter } from './request-meter.ts';

export interface MetricsSources {
  /** This node, where each has records of its own: the others tell of their indexes. Null where it is alone. */
  readonly nodeId: string | null;
  readonly indexes: Pick<IndexLifecycle, 'list'>;
  /** Of all projects. */
  readonly allIndexes: () => Promise<readonly Index[]>;
  readonly directory: Pick<IndexDirectory, 'profile'>;
  readonly engine: Pick<VectorStore, 'metrics'>;
  readonly meter: Pick<RequestMeter, 'of'>;
  readonly wrongCredentials?: Pick<WrongCredentials, 'counts'>;
  /** Null or absent where no OpenID provider is set. */
  readonly signIns?: Pick<ProviderSignInService, 'counts'> | null;
  readonly files: Pick<AssistantFileStore, 'counts'>;
  readonly jobs: Pick<JobStore, 'counts'>;
  /** Of a project, or of all. */
  readonly jobFailures?: (projectId: string | null) => readonly JobFailures[];
  readonly tools?: Pick<McpMeter, 'counts'>;
  readonly quotas?: Pick<QuotaService, 'refusals'>;
  /** Of an index whose records expire. */
  readonly removals?: (indexId: string) => RemovalFigures | undefined;
  /** Those of a project, or of all. */
  readonly damagedArchives?: (projectId: string | null) => Promise<readonly DamagedArchive[]>;
}

export interface IndexReading {
  readonly index: Index;
  readonly engine: IndexMetrics;
  readonly requests: IndexMeter;
  /** Undefined where records do not expire. */
  readonly removals: RemovalFigures | undefined;
}

/** Whose metrics: those of a project, or of all (null). */
export type MetricsScope = ProjectAccess | null;

export interface MetricsReading {
  /** True where indexes of several projects may have the same name. */
  readonly isOfAllProjects: boolean;
  /** In name order, without indexes that are not ready or at another node. */
  readonly indexes: readonly IndexReading[];
  readonly threads: readonly ThreadMetrics[];
  /** Of the whole engine; null where it keeps no files open. */
  readonly open: OpenIndexFigures | null;
  /** Of the whole engine; null where it bounds no memory. */
  readonly memory: MemoryFigures | null;
  readonly files: readonly FileCount[];
  readonly jobs: readonly JobCount[];
  /** Since the start, for each kind. */
  readonly jobFailures: readonly JobFailures[];
  /** Calls of MCP tools since the start. */
  readonly toolCalls: readonly ToolCallCount[];
  /** Requests that quotas refused since the start. */
  readonly quotaRefusals: readonly QuotaRefusals[];
  /** Backups and collections found damaged. */
  readonly damagedArchives: readonly DamagedArchive[];
  /** Of all callers since the start. */
  readonly wrongCredentials: WrongCredentials['counts'];
  /** At the OpenID provider, since the start. */
  readonly signIns: SignInCounts;
}

/** The sources while the catalog does not answer: the engine as a whole, and what this process has counted itself. */
export function withoutCatalog(sources: MetricsSources): MetricsSources {
  return {
    ...sources,
    indexes: { list: async () => [] },
    allIndexes: async () => [],
    files: { counts: async () => [] },
    jobs: { counts: async () => [] },
    damagedArchives: async () => [],
  };
}

/** Reads every source once. Omits indexes of other nodes, and those that are deleted meanwhile. */
export async function readMetrics(sources: MetricsSources, scope: MetricsScope): Promise<MetricsReading> {
  const { nodeId, indexes, allIndexes, directory, engine, meter, files, jobs, tools, wrongCredentials } =
    sources;
  const seen = scope === null ? await allIndexes() : await indexes.list(scope);
  const own = seen.filter(({ placement }) => placement === undefined || placement.nodeId === nodeId);
  const projectId = scope?.projectId ?? null;
  const profiles = own.flatMap(({ id }) => directory.profile(id) ?? []);
  const metrics = await engine.metrics(profiles);
  const byStorage = new Map(metrics.indexes.map((each) => [each.indexId, each]));
  const readings = own.flatMap((index): IndexReading[] => {
    const fields = byStorage.get(storageIdOf(index));
    return fields === undefined
      ? []
      : [
          {
            index,
            engine: fields,
            requests: meter.of(index.id),
            removals: sources.removals?.(index.id),
          },
        ];
  });
  return {
    isOfAllProjects: scope === null,
    indexes: readings,
    threads: metrics.threads,
    open: metrics.open ?? null,
    memory: metrics.memory ?? null,
    files: await files.counts(projectId),
    jobs: await jobs.counts(projectId),
    jobFailures: sources.jobFailures?.(projectId) ?? [],
    quotaRefusals: sources.quotas?.refusals(projectId) ?? [],
    toolCalls: tools?.counts(projectId) ?? [],
    damagedArchives: (await sources.damagedArchives?.(projectId)) ?? [],
    signIns: sources.signIns?.counts ?? { signedIn: 0, refused: 0, unavailable: 0 },
    wrongCredentials: wrongCredentials?.counts ?? { refused: 0, backedOff: 0 },
  };
}
