// A change of all records of a branch that match a filter, as a long operation. Its records are in several places, so it
// looks at each by its id: finds them in slices, checks the changes, and carries them out in steps.
import { parseMetadata } from '../../../../domain/records/metadata.ts';
import { VisibleRecords } from '../../storage/branches/visible-records.ts';
import type { LongOperation } from '../commit-queue.ts';
import {
  FilteredChange,
  type FilteredChangeOptions,
  type MatchedRecord,
  takesChange,
} from '../filtered-change.ts';
import type { WriteTransaction } from '../write-transaction.ts';

/** Records handled between two looks at the clock. */
const RECORDS_A_LOOK = 16;

/** The change of a namespace, which may turn out to be a branch when its turn comes. */
export function filteredChange(options: FilteredChangeOptions): LongOperation<number> {
  let chosen: LongOperation<number> | null = null;
  const change = (): LongOperation<number> => {
    chosen ??= choose(options);
    return chosen;
  };
  return {
    prepare: () => change().prepare(),
    step: (txn) => change().step(txn),
    observe: (effects) => chosen?.observe?.(effects),
  };
}

function choose(options: FilteredChangeOptions): LongOperation<number> {
  options.store.refresh();
  const row = options.store.namespaces.get(options.name);
  return row?.inherited === undefined
    ? new FilteredChange(options)
    : new FilteredBranchChange(options, row.namespaceId);
}

/** Results as FilteredChange. Other writes may come between its slices and steps: it acts on records as it then finds them. */
class FilteredBranchChange implements LongOperation<number> {
  readonly #options: FilteredChangeOptions;
  readonly #namespaceId: number;
  readonly #test: (record: MatchedRecord) => boolean;
  readonly #ids: string[] = [];
  /** The last id looked at; false once all were. */
  #after: string | null | false = null;
  #next = 0;
  #changed = 0;

  /** @param namespaceId number of the branch */
  constructor(options: FilteredChangeOptions, namespaceId: number) {
    this.#options = options;
    this.#namespaceId = namespaceId;
    const schema = options.store.namespaces.get(options.name)?.schema ?? null;
    const matcher = options.matcherOf({ namespaceId, schema });
    this.#test = ({ metadata }) => matcher.test(metadata);
  }

  prepare(): boolean {
    if (this.#after === false || this.#isFull) return true;
    const { store, action, startTurn } = this.#options;
    store.refresh();
    const visible = new VisibleRecords(store);
    const isOver = startTurn();
    let looked = 0;
    const walked = visible.walkIds(this.#namespaceId, { prefix: '', after: this.#after });
    for (const { id, owner, row, isShown } of walked) {
      if (looked++ > 0 && looked % RECORDS_A_LOOK === 1 && isOver()) return false;
      this.#after = id;
      if (!isShown) continue;
      const body = store.records.get(owner, row);
      if (body === undefined) continue;
      const record = { ...body, row, metadata: parseMetadata(body.metadataJson) };
      if (!this.#test(record)) continue;
      action.check?.(record);
      this.#ids.push(id);
      if (this.#isFull) break;
    }
    this.#after = false;
    return true;
  }

  step(txn: WriteTransaction): { readonly result: number } | null {
    const { name, action, startTurn } = this.#options;
    const namespace = txn.namespaces.find(name);
    if (namespace?.namespaceId !== this.#namespaceId) return { result: this.#changed };
    const isOver = startTurn();
    for (let handled = 0; this.#next < this.#ids.length; this.#next++) {
      if (handled++ > 0 && handled % RECORDS_A_LOOK === 1 && isOver()) return null;
      const record = txn.find(namespace, this.#ids[this.#next] ?? '');
      if (record === undefined) continue;
      const matched = { ...record, metadata: parseMetadata(record.metadataJson) };
      if (!this.#test(matched) || !takesChange(action, matched)) continue;
      action.apply(txn, namespace, matched);
      this.#changed++;
    }
    action.finish?.(txn, namespace);
    return { result: this.#changed };
  }

  get #isFull(): boolean {
    return this.#ids.length >= (this.#options.action.recordsMax ?? Number.POSITIVE_INFINITY);
  }
}
