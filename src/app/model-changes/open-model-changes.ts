// Opens changes of models: their service and job, what keeps both sets of vectors equal, and the admission of writes.
import type { ModelChanges } from '../../domain/embedding/model-change-service.ts';
import type { Index } from '../../domain/index-model.ts';
import type { WriteAdmission } from '../../domain/write-admission.ts';
import type { JobKind } from '../../jobs/port.ts';
import type { OpenIndexLifecycle } from '../indexes/index-lifecycle.ts';
import { modelChangeJob } from './model-change-job.ts';
import { ModelChangeService, type ModelChangeServiceParts } from './model-change-service.ts';
import { RecentQueries } from './recent-queries.ts';
import { StandbyFollower, type StandbyFollowerParts } from './standby-follower.ts';
import { WriteGate } from './write-gate.ts';

export interface ModelChangesParts
  extends Pick<
    ModelChangeServiceParts,
    'aliases' | 'catalog' | 'jobs' | 'inference' | 'accessTo' | 'onFailure'
  > {
  readonly engine: ModelChangeServiceParts['engine'] &
    StandbyFollowerParts['engine'] &
    Parameters<typeof modelChangeJob>[0]['engine'];
  readonly indexes: Pick<OpenIndexLifecycle, 'describe' | 'configure' | 'byId' | 'directory'>;
  /** Those whose records this node has. */
  readonly ownIndexes: () => readonly Index[];
  /** The ids of the data endpoints that write. */
  readonly writes: ReadonlySet<string>;
}

export interface OpenModelChanges {
  readonly service: ModelChanges;
  readonly kind: JobKind;
  readonly queries: RecentQueries;
  readonly admission: WriteAdmission;
  /** As `WriteGate.alone`. */
  alone<Result>(
    indexId: string,
    work: () => Promise<Result>,
  ): ReturnType<typeof WriteGate.prototype.alone<Result>>;
  /** The kind of jobs that write to indexes, admitted as other writes are. */
  admitted(kind: JobKind): JobKind;
  /** Resolves when nothing works on the index any more, which is being deleted. */
  endWork(indexId: string): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

export function openModelChanges(parts: ModelChangesParts): OpenModelChanges {
  const { ownIndexes, writes } = parts;
  const changing = (): readonly Index[] =>
    ownIndexes().filter(({ modelChange }) => modelChange !== undefined);
  const gate = new WriteGate();
  const queries = new RecentQueries();
  const follower = new StandbyFollower({ ...parts, changing: () => changing().map(({ id }) => id) });
  const service = new ModelChangeService({ ...parts, follower, gate, queries });
  return {
    service,
    // The runner gives each job back what jobs of its kind have stored.
    kind: modelChangeJob(parts) as JobKind,
    queries,
    admission: {
      enter: (indexId, endpointId) => (writes.has(endpointId) ? gate.enter(indexId) : null),
    },
    alone: (indexId, work) => gate.alone(indexId, work),
    admitted: (kind) => ({
      ...kind,
      run: async (run) => {
        const leave = await gate.enter(run.job.indexId ?? '');
        await kind.run(run).finally(leave);
      },
    }),
    endWork: async (indexId) => {
      await follower.between(indexId, () => Promise.resolve());
      follower.forget(indexId);
    },
    start: async () => {
      await service.resume(changing());
      follower.start();
    },
    close: () => follower.close(),
  };
}
