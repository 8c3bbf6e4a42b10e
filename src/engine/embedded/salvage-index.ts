// Saves the records of a damaged index that are whole into a new folder, through the ordinary writer.
import { setImmediate } from 'node:timers/promises';
import type { IndexProfile } from '../../domain/index-model.ts';
import { MOVE_LSN_AHEAD } from '../../domain/nodes/moves.ts';
import type { StorableRecord } from '../port/reader-and-writer.ts';
import { setSeq } from './backup/set-seq.ts';
import { type OpenIndex, openIndex } from './indexing/open-index.ts';
import { Epochs } from './memory/epochs.ts';
import { FileDamage } from './storage/integrity/damage.ts';
import { type FoundNamespace, RecordsOnDisk, type WholeRecord } from './storage/integrity/read-records.ts';

const BATCH_RECORDS = 500;
const BATCH_BYTES = 4 * 2 ** 20;
/** Records read between two looks at the signal. */
const STEP_RECORDS = 500;

export interface SalvageOptions {
  /** The folder to create. */
  readonly into: string;
  /** Called with the number of records saved so far. */
  readonly onSaved: (records: number) => void;
  /** Ends it early, when what is in the new folder is of no use. */
  readonly signal: AbortSignal;
}

/**
 * Copies all whole records and their namespaces. Namespaces whose names are lost get a name that says so.
 * @param folder the damaged index; it is only read
 * The last write is ahead of all that were, so that no client knows of a later one.
 * @returns the number of records
 * @throws FileDamage when records.mdb is missing, or belongs to another index; the signal's reason
 */
export async function salvageIndex(
  profile: IndexProfile,
  folder: string,
  { into, onSaved, signal }: SalvageOptions,
): Promise<number> {
  const identity = { indexId: profile.id, dimension: profile.dimension };
  const { namespaces, dropped } = await survey(folder, identity, signal);
  const files = new RecordsOnDisk(folder, identity);
  const index = openIndex(profile, into, {
    epochs: new Epochs(Epochs.allocate(1)),
    announce: () => undefined,
  });
  const target = new Target(profile, index, { namespaces, dropped, onSaved, signal });
  try {
    for (const { name, row, isStaged } of namespaces.values())
      if (!isStaged && (row.isExplicit || row.schema !== null))
        await index.writer.createNamespace(name, row.schema);
    for await (const record of interruptible(files.records(), signal)) await target.take(record);
    await target.flush();
    // All trees have been read: what is left had no place in them.
    for (const _ of files.namespaces());
    for await (const _ of interruptible(files.ids(), signal));
    for await (const stray of interruptible(files.strays(), signal))
      if ('body' in stray) await target.takeStray(stray);
    await target.flush();
  } finally {
    await index.close();
    files.close();
  }
  await setSeq(profile, into, target.seqMax + MOVE_LSN_AHEAD);
  return target.saved;
}

interface Survey {
  readonly namespaces: ReadonlyMap<number, FoundNamespace>;
  readonly dropped: ReadonlySet<number>;
}

/** Finds all namespaces, those included that nothing leads to any more. */
async function survey(
  folder: string,
  identity: ConstructorParameters<typeof RecordsOnDisk>[1],
  signal: AbortSignal,
): Promise<Survey> {
  const files = new RecordsOnDisk(folder, identity);
  try {
    files.checkNumbers();
    if (files.isForeign)
      throw new FileDamage(folder, 'it belongs to another index, whose records are not saved');
    const namespaces = new Map(files.namespaces());
    const dropped = files.dropped();
    for await (const _ of interruptible(files.ids(), signal));
    for await (const _ of interruptible(files.records(), signal));
    for await (const stray of interruptible(files.strays(), signal))
      if ('isStaged' in stray && !namespaces.has(stray.row.namespaceId))
        namespaces.set(stray.row.namespaceId, stray);
    return { namespaces, dropped };
  } finally {
    files.close();
  }
}

/** The items, with turns for an interrupt to arrive. @throws the signal's reason */
async function* interruptible<Item>(items: Iterable<Item>, signal: AbortSignal): AsyncGenerator<Item> {
  let count = 0;
  for (const item of items) {
    if (count++ % STEP_RECORDS === 0) await setImmediate();
    signal.throwIfAborted();
    yield item;
  }
}

/** Collects records into batches of one namespace, and writes them. */
class Target {
  readonly #profile: IndexProfile;
  readonly #index: OpenIndex;
  readonly #found: Survey & Pick<SalvageOptions, 'onSaved' | 'signal'>;
  readonly #strays = new Map<string, number>();
  #batch: StorableRecord[] = [];
  #bytes = 0;
  #namespaceId = -1;
  saved = 0;
  /** The latest write of a record that was found. */
  seqMax = 0;

  constructor(
    profile: IndexProfile,
    index: OpenIndex,
    found: Survey & Pick<SalvageOptions, 'onSaved' | 'signal'>,
  ) {
    this.#profile = profile;
    this.#index = index;
    this.#found = found;
  }

  async take({ namespaceId, body, values }: WholeRecord): Promise<void> {
    const { namespaces, dropped } = this.#found;
    if (dropped.has(namespaceId) || namespaces.get(namespaceId)?.isStaged === true) return;
    const isFull = this.#batch.length === BATCH_RECORDS || this.#bytes > BATCH_BYTES;
    // Before the next await, which the view of the values does not outlive.
    const record = recordOf(body, this.#profile.dimension === null ? null : values);
    if (isFull || namespaceId !== this.#namespaceId) await this.flush();
    this.#namespaceId = namespaceId;
    this.seqMax = Math.max(this.seqMax, body.seq);
    this.#batch.push(record);
    this.#bytes += body.metadataJson?.length ?? 0;
  }

  /** A record that has no place in the trees any more: the newest version counts, and one that has a place wins. */
  async takeStray(record: WholeRecord): Promise<void> {
    const { namespaceId, body } = record;
    const { store } = this.#index.files;
    const key = `${namespaceId} ${body.id}`;
    const target = store.namespaces.get(this.#nameOf(namespaceId));
    const isKnown = target !== null && store.records.rowOfId(target.namespaceId, body.id) !== undefined;
    const earlier = this.#strays.get(key);
    if (earlier === undefined ? isKnown : earlier >= body.seq) return;
    this.#strays.set(key, body.seq);
    await this.take(record);
    await this.flush();
    store.refresh();
  }

  async flush(): Promise<void> {
    if (this.#batch.length === 0) return;
    const batch = this.#batch;
    [this.#batch, this.#bytes] = [[], 0];
    await this.#index.writer.upsert(this.#nameOf(this.#namespaceId), batch);
    this.saved += batch.length;
    this.#found.onSaved(this.saved);
    this.#found.signal.throwIfAborted();
  }

  #nameOf(namespaceId: number): string {
    return this.#found.namespaces.get(namespaceId)?.name ?? `lost-name-${namespaceId}`;
  }
}

function recordOf({ id, sparse, metadataJson }: WholeRecord['body'], values: Buffer | null): StorableRecord {
  if (values === null) return { id, values: null, sparse, metadataJson };
  const floats = new Float32Array(values.length / Float32Array.BYTES_PER_ELEMENT);
  new Uint8Array(floats.buffer).set(values);
  return { id, values: floats, sparse, metadataJson };
}
