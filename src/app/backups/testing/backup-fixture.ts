// A server with one index of 300 records, and helpers for its backups.
import assert from 'node:assert/strict';
import type { Blobs } from '../../../blobs/port.ts';
import type { Archive } from '../../../domain/backups/archive.ts';
import type { RestoreJob } from '../../../domain/backups/services.ts';
import { Fault, type FaultName } from '../../../domain/faults.ts';
import type { Index } from '../../../domain/index-model.ts';
import { isActive } from '../../../domain/jobs.ts';
import { eventually, NEW_INDEX, OWNER } from '../../indexes/testing/control-plane.ts';
import { BackupHost, type Running } from './backup-host.ts';
import type { CopyStage } from './fake-copies.ts';

export const NO_LABELS = { name: null, description: null };

export const POD = {
  ...NEW_INDEX,
  name: 'pods',
  deployment: {
    kind: 'pod',
    environment: 'us-east1-gcp',
    podType: 'p1.x1',
    replicas: 1,
    shards: 1,
    metadataIndexed: null,
    sourceCollection: null,
  },
} as const;

export function is(condition: FaultName) {
  return (error: unknown): boolean => error instanceof Fault && error.condition === condition;
}

export class BackupFixture {
  readonly host: BackupHost;
  readonly index: Index;
  server: Running;
  /** Promises that killed processes wait for; disposing the fixture rejects them, so that open files are closed. */
  readonly #waiting: ((reason: Error) => void)[] = [];

  private constructor(host: BackupHost, server: Running, index: Index) {
    this.host = host;
    this.server = server;
    this.index = index;
  }

  static async make(): Promise<BackupFixture> {
    const host = await BackupHost.make();
    const server = await host.start();
    const index = await server.indexes.create(OWNER, { ...NEW_INDEX, tags: { team: 'search' } });
    host.write(index, 300);
    return new BackupFixture(host, server, index);
  }

  async settled(id: string): Promise<Archive> {
    await eventually(async () => (await this.server.backups.describe(OWNER, id)).state !== 'Initializing');
    return this.server.backups.describe(OWNER, id);
  }

  async readyBackup(): Promise<Archive> {
    const backup = await this.settled((await this.server.backups.create(OWNER, 'books', NO_LABELS)).id);
    assert.equal(backup.state, 'Ready');
    return backup;
  }

  async ended(id: string): Promise<RestoreJob> {
    await eventually(async () => !isActive(await this.server.backups.describeRestore(OWNER, id)));
    return this.server.backups.describeRestore(OWNER, id);
  }

  /** Blocks the first copy that reaches the stage until it is released. */
  holdAt(stage: CopyStage): { readonly reached: Promise<void>; release(): void } {
    const reached = Promise.withResolvers<void>();
    const released = this.#held<void>();
    this.host.copies.at = async (at) => {
      if (at !== stage) return;
      reached.resolve();
      await released.promise;
    };
    return { reached: reached.promise, release: released.resolve };
  }

  /** Makes the first put of a blob of this name hang, before or after it is stored. */
  holdPut(name: string, stage: 'before' | 'after') {
    const reached = Promise.withResolvers<void>();
    let isFirst = true;
    const put: Blobs['put'] = async (key, ...rest) => {
      const isHeld = isFirst && key.endsWith(name);
      if (!isHeld) return this.host.folder.put(key, ...rest);
      isFirst = false;
      if (stage === 'after') await this.host.folder.put(key, ...rest);
      reached.resolve();
      return this.#held<never>().promise;
    };
    return { put, reached: reached.promise };
  }

  /** Kills the server and starts another on its state. */
  async killAndStart(): Promise<void> {
    this.host.crash();
    this.server = await this.host.start();
  }

  /** As killAndStart; the copies of the new server block at the stage. */
  async killAndHoldAt(stage: CopyStage): Promise<{ readonly reached: Promise<void> }> {
    this.host.crash();
    const hold = this.holdAt(stage);
    this.server = await this.host.start();
    return hold;
  }

  /** Starts another server whose storage has the given faults. */
  async restartWith(faults: Partial<Blobs>): Promise<void> {
    await this.server.stop();
    const { folder } = this.host;
    this.host.blobs = {
      put: (...args) => folder.put(...args),
      get: (...args) => folder.get(...args),
      head: (key) => folder.head(key),
      list: (...args) => folder.list(...args),
      delete: (key) => folder.delete(key),
      close: () => folder.close(),
      ...faults,
    };
    await this.killAndStart();
  }

  async dispose(): Promise<void> {
    for (const end of this.#waiting) end(new Error('The process was killed.'));
    await this.host.dispose();
  }

  #held<Value>(): PromiseWithResolvers<Value> {
    const held = Promise.withResolvers<Value>();
    held.promise.catch(() => undefined);
    this.#waiting.push(held.reject);
    return held;
  }
}
