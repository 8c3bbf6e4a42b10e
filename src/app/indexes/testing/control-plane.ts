// What tests of the control plane share: a catalog on disk, and a controllable engine and ports.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { seedProjects } from '../../../catalog/conformance/conformance-suite.ts';
import type { Catalog } from '../../../catalog/port.ts';
import { openCatalog } from '../../../catalog/sqlite/open-catalog.ts';
import { mintProjectAccess, type ProjectAccess } from '../../../domain/access.ts';
import type { NewIndex, PortDirectory } from '../../../domain/index-lifecycle.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import { CAPABILITIES } from '../../../engine/embedded/storage/capabilities.ts';
import type { EngineCapabilities } from '../../../engine/port/capabilities.ts';
import { HANG_MS } from '../../../platform/testing/until.ts';
import { portHosts } from '../index-hosts.ts';
import {
  type IndexLifecycleOptions,
  type OpenIndexLifecycle,
  openIndexLifecycle,
} from '../index-lifecycle.ts';

export const OWNER: ProjectAccess = mintProjectAccess({
  organizationId: 'organization-1',
  projectId: 'project-1',
  principalId: 'key-1',
});
/** A caller of another project. */
export const STRANGER: ProjectAccess = mintProjectAccess({
  organizationId: 'organization-1',
  projectId: 'project-2',
  principalId: 'key-2',
});

export const NEW_INDEX: NewIndex = {
  name: 'books',
  vectorType: 'dense',
  metric: 'cosine',
  dimension: 3,
  deployment: {
    kind: 'serverless',
    cloud: 'aws',
    region: 'us-east-1',
    readCapacity: { mode: 'OnDemand' },
    metadataSchema: null,
    sourceCollection: null,
  },
  deletionProtection: 'disabled',
  tags: {},
  embed: null,
  documents: null,
};

export class FakeEngine {
  capabilities: EngineCapabilities = CAPABILITIES;
  readonly stored = new Map<string, IndexProfile>();
  /** Runs before the operation; throws or hangs to simulate a fault or a crash. */
  before: (operation: 'createIndex' | 'dropIndex') => Promise<void> = () => Promise.resolve();

  async createIndex(profile: IndexProfile): Promise<void> {
    await this.before('createIndex');
    this.stored.set(profile.id, profile);
  }

  async dropIndex(indexId: string): Promise<void> {
    await this.before('dropIndex');
    this.stored.delete(indexId);
  }
}

export class FakePorts implements PortDirectory {
  readonly open = new Set<number>();
  /** Ports of other processes. */
  readonly foreign = new Set<number>();

  async listen(port: number): Promise<void> {
    if (this.foreign.has(port) || this.open.has(port)) {
      throw Object.assign(new Error(`port ${port} is taken`), { code: 'EADDRINUSE' });
    }
    this.open.add(port);
  }

  async close(port: number): Promise<void> {
    this.open.delete(port);
  }
}

/** One server's state on disk, and the processes that use it in turn. */
export class ControlPlane {
  readonly catalog: Catalog;
  engine = new FakeEngine();
  ports = new FakePorts();
  readonly failures: unknown[] = [];
  /** Removed by `dispose`. */
  readonly folder: string;
  readonly #opened: OpenIndexLifecycle[] = [];

  private constructor(folder: string, catalog: Catalog) {
    this.folder = folder;
    this.catalog = catalog;
  }

  static async make(): Promise<ControlPlane> {
    const folder = await mkdtemp(join(tmpdir(), 'pinyon-control-'));
    const catalog = await openCatalog({ path: join(folder, 'catalog.db') });
    await seedProjects(catalog);
    return new ControlPlane(folder, catalog);
  }

  /** The catalog with some operations replaced. */
  catalogBut(replaced: Partial<Catalog['indexes']>): IndexLifecycleOptions['catalog'] {
    return { indexes: { ...this.catalog.indexes, ...replaced } };
  }

  /** Returns a started lifecycle with quick transitions and retries. */
  async start(options: Partial<IndexLifecycleOptions> = {}): Promise<OpenIndexLifecycle> {
    const lifecycle = await this.load(options);
    await lifecycle.start();
    return lifecycle;
  }

  async load(options: Partial<IndexLifecycleOptions> = {}): Promise<OpenIndexLifecycle> {
    const lifecycle = await openIndexLifecycle({
      catalog: this.catalog,
      engine: this.engine,
      ports: this.ports,
      hosts: portHosts('http://', 'localhost'),
      portRange: { first: 5081, last: 5090 },
      transitionMilliseconds: 20,
      retryMilliseconds: 5,
      onFailure: (error) => this.failures.push(error),
      ...options,
    });
    this.#opened.push(lifecycle);
    return lifecycle;
  }

  /** Simulates a killed process: storage and catalog stay, ports close, nothing keeps running. */
  crash(): void {
    this.#opened.length = 0;
    const { stored } = this.engine;
    this.engine = new FakeEngine();
    for (const [id, profile] of stored) this.engine.stored.set(id, profile);
    this.ports = new FakePorts();
  }

  async dispose(): Promise<void> {
    for (const lifecycle of this.#opened) await lifecycle.close();
    await this.catalog.close();
    // Processes that were killed on the way may still write a file.
    await rm(this.folder, { recursive: true, maxRetries: 3 });
  }
}

/** Long waits are for other processes and threads, which need the processor themselves. */
const PAUSE_MS_MAX = 30;
const PAUSE_FACTOR = 1.5;

/** Waits until the condition holds. @throws when it does not within the time that only a hang takes */
export async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + HANG_MS;
  for (let pauseMs = 1; !(await condition()); pauseMs = Math.min(PAUSE_MS_MAX, pauseMs * PAUSE_FACTOR)) {
    if (performance.now() > end) throw new Error('The condition did not come true in time.');
    await sleep(pauseMs);
  }
}
