// Opens this node among several with records of their own: its lease, the fence around its engine, and forwarding.
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import packageJson from '../../package.json' with { type: 'json' };
import { dataEndpoints } from '../api/rest/data-endpoints.ts';
import { Fence } from '../app/nodes/fence.ts';
import { NodeMembership } from '../app/nodes/node-membership.ts';
import type { Catalog } from '../catalog/port.ts';
import { EXIT_FAILED } from '../cli/command.ts';
import type { IndexDirectory } from '../domain/index-lifecycle.ts';
import type { Index } from '../domain/index-model.ts';
import type { NodeReport } from '../domain/nodes/node.ts';
import { indexFolder } from '../engine/embedded/storage/index-files.ts';
import { fencedExecutor } from '../http/fenced-executor.ts';
import { Forwarding } from '../http/forwarding/forwarding.ts';
import type { Logger } from '../http/request-log.ts';
import type { OpenEngine } from './engine/open-engine.ts';
import type { Settings } from './settings.ts';

export const WRITES = new Set(dataEndpoints.filter(({ queue }) => queue === 'write').map(({ id }) => id));

type Directory = Pick<IndexDirectory, 'byName'>;

export interface OpenNodes {
  readonly membership: NodeMembership;
  readonly forwarding: Forwarding;
  /** The engine and its executor, within the fence. */
  around(opened: OpenEngine): OpenEngine;
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
    onWait: () => logger.warn('waiting for the lease of an earlier process of this node to end'),
    onFailure: (error) => logger.warn({ err: error }, 'the lease of this node could not be renewed'),
    onLost: () => {
      logger.fatal('another process has taken this node over; stopping');
      process.exit(EXIT_FAILED);
    },
  });
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
    logger,
  });
  membership.listen((nodes) => forwarding.connections.follow(nodes));
  await membership.start();
  await adopt(catalog, { nodeId, dataDir });
  return {
    membership,
    forwarding,
    around: (opened) => ({
      ...opened,
      engine: fence.around(opened.engine),
      executor: fencedExecutor(opened.executor, fence, WRITES),
    }),
    use: (used, byId) => {
      directory = used;
      indexById = byId;
    },
  };
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
  const { bavail, bsize } = await statfs(dataDir);
  // Within the bounds of a container, where it has some.
  return { memoryFreeBytes: process.availableMemory(), diskFreeBytes: bavail * bsize };
}
