// Random writes of a soak, decided in advance, so that index and model get the same ones.
import { Fault } from '../../../../domain/faults.ts';
import type { VectorWriter } from '../../../port/reader-and-writer.ts';
import type { SoakRecords } from './soak-records.ts';

export interface SoakWrite {
  readonly name: string;
  /** Whether it changes records in steps. */
  readonly isByFilter: boolean;
  /** The outcome that the caller sees. */
  apply(writer: VectorWriter): Promise<unknown>;
}

export interface SoakNamespace {
  readonly namespace: string;
  /** Number of ids; the namespace contains most of them, most of the time. */
  readonly ids: number;
}

const BATCH_MAX = 200;
const UPDATED_MAX = 60;
const RECORDS_MAX = 100_000;

/** A random write to a namespace. */
export function randomWrite(records: SoakRecords, { namespace, ids }: SoakNamespace): SoakWrite {
  const { random } = records;
  const anyId = () => `r${random.integer(ids)}`;
  const anyIds = (countMax: number) => Array.from({ length: 1 + random.integer(countMax) }, anyId);
  const choice = random.uniform();
  if (choice < 0.45) {
    const batch = anyIds(BATCH_MAX).map((id) => records.record(id));
    return write(`upsert ${batch.length}`, namespace, (writer) => writer.upsert(namespace, batch));
  }
  if (choice < 0.7) {
    const changes = anyIds(UPDATED_MAX).map((id) => randomChange(records, id));
    return write(`update ${changes.length}`, namespace, (writer) =>
      Promise.all(changes.map((change) => writer.update(namespace, change))),
    );
  }
  if (choice < 0.78) {
    const filter = records.narrowFilter();
    const change = { filter, setMetadata: { mark: random.integer(100) }, recordsMax: RECORDS_MAX };
    return write(
      'update by filter',
      namespace,
      async (writer) => (await writer.updateByFilter(namespace, change)).matched,
    );
  }
  if (choice < 0.93) {
    const gone = anyIds(BATCH_MAX / 2);
    return write(`delete ${gone.length}`, namespace, (writer) => writer.deleteIds(namespace, gone));
  }
  if (choice < 0.985 || ids > 1_000) {
    const filter = records.narrowFilter();
    return write('delete by filter', namespace, (writer) => writer.deleteByFilter(namespace, filter));
  }
  return write('drop', namespace, (writer) => writer.deleteNamespace(namespace));
}

/** Writes the records that the namespace lacks. */
export function refill(records: SoakRecords, { namespace, ids }: SoakNamespace): SoakWrite {
  const batch = Array.from({ length: ids }, (_, i) => records.record(`r${i}`));
  return write(`fill ${ids}`, namespace, (writer) => writer.upsert(namespace, batch));
}

/** The outcome of a write as a caller sees it: the condition of its fault, or a count. */
export async function outcomeOf(writer: VectorWriter, each: SoakWrite): Promise<unknown> {
  try {
    return await each.apply(writer);
  } catch (error) {
    if (error instanceof Fault) return error.condition;
    throw error;
  }
}

type Change = Parameters<VectorWriter['update']>[1];

function randomChange(records: SoakRecords, id: string): Change {
  const setMetadata = { ...records.metadata(), seen: records.random.integer(5) };
  const { values, sparse } = records.vectors();
  const nothing = { id, values: null, sparse: null, setMetadata: null };
  return records.pick<Change>([
    { ...nothing, setMetadata },
    { ...nothing, values },
    { ...nothing, sparse },
    { id, values, sparse, setMetadata },
  ]);
}

/** Numbers of writes differ between index and model, counts do not. */
function write(name: string, namespace: string, run: (writer: VectorWriter) => Promise<unknown>): SoakWrite {
  const isCounted = name === 'update by filter';
  return {
    name: `${name} in '${namespace}'`,
    isByFilter: name.endsWith('by filter'),
    apply: async (writer) => {
      const result = await run(writer);
      return isCounted ? result : null;
    },
  };
}
