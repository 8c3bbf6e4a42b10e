// Opens this node among several with records of their own: its lease, the fence around its engine, and forwarding.
import { existsSync } from 'node:fs';
import packageJson from '../../package.json' with { type: 'json' };
import { dataEndpoints } from '../api/rest/data-endpoints.ts';
import { BRANCH_WRITE } from '../app/branches/branch-service.ts';
import { type MoveOutcome, type NodeFigures, NodeMeter } from '../app/monitoring/node-meter.ts';
import { type AssistantMoveParts, assistantMoveJob } from '../app/nodes/assistant-move-job.ts';
import { CopySweeper } from '../app/nodes/copy-sweeper.ts';
import { Fence, type SizeAt } from '../app/nodes/fence.ts';
import { type MoveJobParts, moveJob } from '../app/nodes/move-job.ts';
import { NodeMembership, NodeRunsElsewhere } from '../app/nodes/node-membership.ts';
import { ReceivedCopies } from '../app/nodes/received-copies.ts';
import type { RemoteCopy } from '../app/nodes/remote-copies.ts';
import type { NodeChanges } from '../catalog/foreign-changes.ts';
import type { Catalog } from '../catalog/port.ts';
import { EXIT_FAILED } from '../cli/command.ts';
import { fault } from '../domain/faults.ts';
import type { IndexDirectory } from '../domain/index-lifecycle.ts';
import { type Index, profileOf } from '../domain/index-model.ts';
import type { Job } from '../domain/jobs.ts';
import type { NodeReport } from '../domain/nodes/node.ts';
import { indexFolder } from '../engine/embedded/storage/index-files.ts';
import type { VectorStore } from '../engine/port/vector-store.ts';
import { fencedExecutor } from '../http/fenced-executor.ts';
import { Forwarding } from '../http/forwarding/forwarding.ts';
import type { NodeServing } from '../http/forwarding/node-app.ts';
import { NodeCalls } from '../http/forwarding/node-calls.ts';
import { OfferedExports } from '../http/forwarding/offered-exports.ts';
import type { Logger } from '../http/request-log.ts';
import type { JobKind } from '../jobs/port.ts';
import { momentOf, msSince, OWN_CLOCKS } from '../platform/elapsed-time.ts';
import { diskSpace } from './disk-space.ts';
import type { OpenEngine } from './engine/open-engine.ts';
import type { Settings } from './settings.ts';
import { StartProblem } from './start-problems.ts';

export const WRITES = new Set([
  ...dataEndpoints.filter(({ queue }) => queue === 'write').map(({ id }) => id),
  BRANCH_WRITE,
]);

const MILLISECONDS_PER_SECOND = 1_000;

type Directory = Pick<IndexDirectory, 'byName'>;

export interface OpenNodes {
  readonly membership: NodeMembership;
  readonly forwarding: Forwarding;
  /** What it does for the others, and what it knows of them. */
  figures(): NodeFigures;
  /** Makes an empty index of an assistant at this node or another one. */
  createCopy(copy: RemoteCopy): Promise<void>;
  /** Removes what moves have left. */
  readonly sweeper: CopySweeper;
  readonly serving: NodeServing;
  /** The engine and its executor, within the fence. Call it before the others are used. */
  around(opened: OpenEngine): OpenEngine;
  /** The kinds of jobs that move indexes and assistants. */
  moveKinds(
    parts: Pick<MoveJobParts, 'alone'> & Pick<AssistantMoveParts, 'noteAssistant'>,
  ): readonly JobKind[];
  /** Counts a job that has ended here, if it was a move. */
  noteEnd(job: Pick<Job, 'kind'>, outcome: MoveOutcome): void;
  /** Tells where to look indexes up; before that, there are none. */
  use(directory: Directory, byId: (id: string) => Index | undefined): void;
}

export interface NodesParts {
  readonly catalog: Catalog;
  readonly settings: Settings;
  readonly logger: Logger;
}

/**
 * Takes this node's lease, and what its data directory has that no node had before.
 * @returns null where nodes have no records of their own
 */
export async function openNodes({ catalog, settings, logger }: NodesParts): Promise<OpenNodes | null> {
  const { nodeAddress, nodeSecret, dataDir } = settings;
  const { nodeId, changes } = catalog;
  if (nodeId === null || nodeAddress === null || nodeSecret === null || changes === null) return null;
  let directory: Directory = { byName: () => undefined };
  let indexById = (_id: string): Index | undefined => undefined;
  const membership = new NodeMembership({
    store: catalog.nodes,
    id: nodeId,
    address: nodeAddress,
    release: packageJson.version,
    report: () => reportOf(dataDir),
    catchUp: () => caughtUp(changes),
    onWait: () => logger.warn('waiting for the lease of an earlier process of this node to end'),
    onFailure: (error) => logger.warn({ err: error }, 'the lease of this node could not be renewed'),
    onLost: () => {
      logger.fatal('another process has taken this node over; stopping');
      process.exit(EXIT_FAILED);
    },
  });
  const meter = new NodeMeter();
  const fence = new Fence({
    nodeId,
    isHeld: () => membership.isHeld(),
    indexById: (id) => indexById(id),
  });
  const forwarding = new Forwarding({
    selfId: nodeId,
    secret: nodeSecret,
    isHeld: () => membership.isHeld(),
    find: (id) => membership.find(id),
    choose: () => membership.choose(),
    indexByName: (projectId, name) => directory.byName(projectId, name),
    assistantNode: async (projectId, name) => {
      const assistant = await catalog.assistants.find(projectId, name);
      if (assistant === null) return null;
      return (await catalog.nodes.placementOf(assistant.id))?.nodeId ?? null;
    },
    catchUp: () => changes.catchUp(),
    ...{ logger, meter },
  });
  const exports = new OfferedExports();
  const { connections } = forwarding;
  const remote = new NodeCalls({ selfId: nodeId, secret: nodeSecret, exports, connections });
  const sizeAt: SizeAt = async (id, indexId) => {
    const node = membership.find(id);
    if (node?.isAlive !== true) throw fault('node-unavailable', { node: node?.address ?? id });
    return remote.sizeOf(node, indexId);
  };
  let engine: VectorStore | null = null;
  const received = new ReceivedCopies({
    nodeId,
    store: catalog.nodes,
    engine: () => opened(engine),
    indexById: (id) => indexById(id),
    assistantById: (id) => catalog.assistants.byId(id),
    catchUp: () => changes.catchUp(),
    download: (id, storageId) => {
      const node = membership.find(id);
      if (node?.isAlive !== true) throw fault('node-unavailable', { node: node?.address ?? id });
      return remote.download(node, storageId);
    },
  });
  membership.listen((nodes) => forwarding.connections.follow(nodes));
  await membership.start().catch((error: unknown) => {
    if (!(error instanceof NodeRunsElsewhere)) throw error;
    throw new StartProblem(
      `${error.message}. Is ${dataDir} a copy of that node's data directory? End the other process, or set PINYON_DATA_DIR to a folder of this node's own.`,
    );
  });
  await adopt(catalog, { nodeId, dataDir });
  return {
    membership,
    forwarding,
    createCopy: (copy) => (copy.node.id === nodeId ? received.create(copy) : remote.create(copy)),
    figures: () => ({
      ...meter.counts,
      leaseAgeSeconds: membership.leaseAgeMs() / MILLISECONDS_PER_SECOND,
      nodes: membership.all(),
    }),
    sweeper: new CopySweeper({
      ...{ nodeId, received },
      store: catalog.nodes,
      jobs: catalog.jobs,
      dropStorage: (storageId) => opened(engine).dropIndex(storageId),
      onFailure: (error) => logger.error({ err: error }, 'removing a copy of a moved index failed'),
    }),
    serving: {
      ...{ copies: received, exports },
      sizeOf: async (indexId) => {
        const index = indexById(indexId);
        if (index?.placement?.nodeId !== nodeId) return null;
        return opened(engine).sizeOf(profileOf(index));
      },
    },
    around: (own) => {
      engine = own.engine;
      return {
        ...own,
        engine: fence.around(own.engine, sizeAt),
        executor: fencedExecutor(own.executor, fence, WRITES),
      };
    },
    moveKinds: ({ alone, noteAssistant }) => {
      const fenced = fence.around(opened(engine), sizeAt);
      const find = (id: string) => membership.find(id);
      const indexMoves = moveJob({
        ...{ nodeId, fence, remote, received, alone, find },
        store: catalog.nodes,
        engine: fenced,
        indexById: (id) => indexById(id),
        catchUp: () => changes.catchUp(),
      });
      const assistantMoves = assistantMoveJob({
        ...{ catalog, remote, find, noteAssistant },
        engine: fenced,
      });
      // The runner gives each job back what jobs of its kind have stored.
      return [indexMoves as JobKind, assistantMoves as JobKind];
    },
    noteEnd: (job, outcome) => meter.jobEnded(job, outcome),
    use: (used, byId) => {
      directory = used;
      indexById = byId;
    },
  };
}

/** @throws when the database did not answer */
async function caughtUp(changes: NodeChanges): Promise<void> {
  const askedAt = momentOf(OWN_CLOCKS);
  await changes.catchUp();
  if (changes.ageMs() > msSince(askedAt, OWN_CLOCKS))
    throw new Error('the changes of other nodes could not be read');
}

function opened(engine: VectorStore | null): VectorStore {
  if (engine === null) throw new Error('The engine is not open yet.');
  return engine;
}

/** Of a server that was alone before: its directory has the folders of its indexes. */
async function adopt(
  { nodes }: Pick<Catalog, 'nodes'>,
  { nodeId, dataDir }: { readonly nodeId: string; readonly dataDir: string },
): Promise<void> {
  const here = (await nodes.unplaced()).filter(({ storageId }) =>
    existsSync(indexFolder(dataDir, storageId)),
  );
  await nodes.adopt(
    here.map(({ id }) => id),
    nodeId,
  );
}

async function reportOf(dataDir: string): Promise<NodeReport> {
  // A node whose data directory is away gets no more indexes, and keeps its lease.
  const { freeBytes = 0 } = (await diskSpace(dataDir)) ?? {};
  // Within the bounds of a container, where it has some.
  return { memoryFreeBytes: process.availableMemory(), diskFreeBytes: freeBytes };
}
