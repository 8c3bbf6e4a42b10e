// A copying thread: exports, reads or imports one index beside everything else the engine does.
import { fault } from '../../../domain/faults.ts';
import type { ServedCall } from '../../../platform/worker-channel/served-call.ts';
import type { CopyForm } from '../../port/copy-forms.ts';
import { buffersOf } from '../../port/packed-records.ts';
import { isPortable } from '../../port/portable-copy.ts';
import { storageFault } from '../indexing/commit-queue.ts';
import { indexFolder } from '../storage/index-files.ts';
import { exportChunks } from './export-chunks.ts';
import { expectedBytes } from './export-copy.ts';
import { FrameBuffers } from './frame-buffers.ts';
import { CopyImporter } from './import-copy.ts';
import { importFolder } from './import-folder.ts';
import { IndexSnapshot } from './index-snapshot.ts';
import { portableChunks } from './portable-chunks.ts';
import { importPortable } from './portable-import.ts';
import type { CopyItem, CopyMethods, CopyResult, CopyTask } from './protocol.ts';
import { readBatches } from './read-batches.ts';
import { SnapshotGuard } from './snapshot-guard.ts';

type PinnedTask = Exclude<CopyTask, { readonly type: 'import' }>;
type ImportTask = Extract<CopyTask, { readonly type: 'import' }>;

export class CopyingThread {
  readonly #call: ServedCall<CopyMethods['copy']>;
  readonly #rooms = new FrameBuffers();

  constructor(call: ServedCall<CopyMethods['copy']>) {
    this.#call = call;
    call.onReturned((buffer) => this.#rooms.recycle(buffer));
  }

  /** Does the task, unless the call is aborted. @throws Fault, CopyFailed */
  async run(task: CopyTask): Promise<CopyResult> {
    try {
      return await (task.type === 'import' ? this.#import(task) : this.#copy(task));
    } catch (error) {
      throw storageFault(error);
    }
  }

  async #copy(task: PinnedTask): Promise<CopyResult> {
    const { profile } = task;
    const folder = indexFolder(task.dataDir, profile.id);
    let snapshot: IndexSnapshot | null = null;
    try {
      const guard = new SnapshotGuard(task.hold, { folder, indexName: profile.name });
      snapshot = new IndexSnapshot(profile, folder);
      return await (task.type === 'export'
        ? this.#export(snapshot, guard, task.form)
        : this.#read(snapshot, guard, task));
    } catch (error) {
      const isGone = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      throw isGone ? fault('index-not-found', { name: profile.name }) : error;
    } finally {
      await snapshot?.close();
    }
  }

  async #export(snapshot: IndexSnapshot, guard: SnapshotGuard, form: CopyForm): Promise<CopyResult> {
    const details = snapshot.details();
    this.#call.note({ details, bytesExpected: expectedBytes(snapshot) });
    const pieces =
      form === 'portable' ? portableChunks(snapshot, guard) : exportChunks(snapshot, guard, this.#rooms);
    let step = pieces.next();
    for (; step.done !== true; step = pieces.next()) await this.#call.send(step.value, [step.value.buffer]);
    return { details, sha256: step.value };
  }

  async #read(
    snapshot: IndexSnapshot,
    guard: SnapshotGuard,
    { namespace, after }: Extract<CopyTask, { type: 'read' }>,
  ): Promise<CopyResult> {
    const details = snapshot.details(namespace ?? undefined);
    this.#call.note({ details, bytesExpected: details.sizeBytes });
    for (const batch of readBatches(snapshot, { namespace, after })) {
      guard.assertSmall();
      await this.#call.send(batch, buffersOf(batch.records));
    }
    return { details, sha256: null };
  }

  async #import({ dataDir, profile, sha256, seqAhead }: ImportTask): Promise<CopyResult> {
    const places = { aside: importFolder(dataDir, profile.id), folder: indexFolder(dataDir, profile.id) };
    const pieces = bytesOf(this.#call.items());
    const first = await pieces.next();
    if (first.done !== true && isPortable(first.value)) {
      const bytes = followedBy(first.value, pieces);
      return { details: await importPortable(profile, bytes, { ...places, sha256, seqAhead }), sha256 };
    }
    const importer = new CopyImporter(profile, places.aside, seqAhead);
    try {
      if (first.done !== true) importer.write(first.value);
      for await (const piece of pieces) importer.write(piece);
      return { details: await importer.finish(places.folder, sha256), sha256 };
    } catch (error) {
      await importer.abandon();
      throw error;
    }
  }
}

async function* bytesOf(items: AsyncIterable<CopyItem>): AsyncGenerator<Uint8Array> {
  for await (const item of items) if (item instanceof Uint8Array) yield item;
}

async function* followedBy(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* rest;
}
