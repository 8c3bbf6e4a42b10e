// Has indexes of nodes that are dead for good made anew from backups, at other nodes.
import type { Catalog, NodeStore } from '../../catalog/port.ts';
import type { Archive } from '../../domain/backups/archive.ts';
import { type Fault, fault } from '../../domain/faults.ts';
import { newId } from '../../domain/ids.ts';
import type { Index } from '../../domain/index-model.ts';
import { isActive, type Job, jobOfKind } from '../../domain/jobs.ts';
import type { IndexMove, MoveInput, MoveProgress, RecoveryInput } from '../../domain/nodes/moves.ts';
import type { Node } from '../../domain/nodes/node.ts';
import { MOVE_KIND, RECOVERY_KIND, whyNotFrom, withVectorsOf } from '../../domain/nodes/takeover.ts';
import type { JobQueue } from '../../jobs/port.ts';
import { type JobsAbout, latestJob, nextJobAt } from '../latest-job.ts';

/** Backups that are looked at for the newest whole one. */
const BACKUPS_MAX = 100;
const NOT_BEGUN: MoveProgress = { step: 'Copying', recordsCopied: 0, writesHeldMs: null };

export interface RecoveriesParts {
  readonly catalog: Pick<Catalog, 'archives' | 'jobs'>;
  readonly store: NodeStore;
  readonly jobs: Pick<JobQueue, 'wake'>;
}

export interface Recovery {
  readonly nodes: readonly Node[];
  readonly target: Node;
  /** An id, or `newest`. */
  readonly backup: string;
}

export class Recoveries {
  readonly #parts: RecoveriesParts;

  constructor(parts: RecoveriesParts) {
    this.#parts = parts;
  }

  /** While one is under way, that one is returned. @throws backup-not-found, move-refused */
  async start(index: Index, { nodes, target, backup }: Recovery): Promise<IndexMove> {
    const { placement } = index;
    if (placement === undefined) throw refused('it is on no node');
    const owner = nodes.find(({ id }) => id === placement.nodeId);
    const underWay = await this.latest(index);
    // Only the owner carries it out: with that, it died too.
    if (owner?.isAlive === true && underWay !== undefined && isActive(underWay)) return indexMoveOf(underWay);
    const isEmpty = index.state === 'InitializationFailed';
    if (owner?.isAlive === true && !isEmpty)
      throw refused(`node ${owner.address} is alive and has it; what it has is newer than any backup`);
    if (!target.isAlive) throw refused(`node ${target.address} does not answer`);
    const archive = await this.#backupOf(index, backup);
    const input: RecoveryInput = {
      archiveId: archive.id,
      indexId: index.id,
      indexName: index.name,
      toNodeId: target.id,
      backupId: archive.id,
      completeUntil: archive.createdAt,
      recordCount: archive.recordCount,
    };
    const about = jobsOf(index, RECOVERY_KIND);
    const createdAt = await nextJobAt(this.#parts.catalog.jobs, about, jobsOf(index, MOVE_KIND));
    const job = { id: newId(), ...about, subject: archive.id, input, createdAt };
    const ref = { id: index.id, ...placement };
    const takeover = {
      ...{ ref, nodeId: target.id, storageId: newId(), job },
      withVectors: (stored: Index) => withVectorsOf(archive, stored),
    };
    if (!(await this.#parts.store.takeOverIndex(takeover)))
      throw refused('its node is alive again, or it was changed at the same moment');
    this.#parts.jobs.wake();
    const started = await this.latest(index);
    if (started === undefined) throw new Error('The job that was stored is not there.');
    return indexMoveOf(started);
  }

  /** The active job, or else the newest. */
  latest(index: Index): Promise<Job | undefined> {
    return latestJob(this.#parts.catalog.jobs, jobsOf(index, RECOVERY_KIND));
  }

  async #backupOf(index: Index, backup: string): Promise<Archive> {
    const { archives } = this.#parts.catalog;
    const { projectId } = index;
    if (backup !== 'newest') {
      const archive = await archives.find(backup);
      if (archive?.projectId !== projectId) throw fault('backup-not-found', { id: backup });
      const reason = whyNotFrom(archive, index);
      if (reason !== null) throw refused(reason);
      return archive;
    }
    const query = { projectId, face: 'backup', sourceIndexId: index.id } as const;
    const { items } = await archives.list(query, { limit: BACKUPS_MAX, after: null });
    const newest = items.find((archive) => whyNotFrom(archive, index) === null);
    if (newest === undefined) throw refused('there is no backup of it');
    return newest;
  }
}

function jobsOf({ id, projectId }: Index, kind: string): JobsAbout {
  return { projectId, kind, indexId: id };
}

export function refused(reason: string): Fault {
  return fault('move-refused', { reason });
}

/** A job that moves an index, or makes it anew. */
export function indexMoveOf(job: Job): IndexMove {
  const { id, state, error, createdAt, finishedAt } = job;
  const known = { id, state, error, createdAt, finishedAt };
  if (job.kind !== RECOVERY_KIND) {
    const { input, progress } = jobOfKind<MoveInput, MoveProgress>(job);
    return { ...known, ...input, source: null, ...(progress ?? NOT_BEGUN) };
  }
  const { indexName, toNodeId, backupId, completeUntil, recordCount } = jobOfKind<RecoveryInput>(job).input;
  const made = { step: 'Done', recordsCopied: recordCount, writesHeldMs: null } as const;
  const progress = state === 'Completed' ? made : NOT_BEGUN;
  return { ...known, indexName, toNodeId, source: { backupId, completeUntil }, ...progress };
}
