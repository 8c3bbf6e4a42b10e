// Orders selected slots by a number of their metadata: two passes over a column, in memory bounded by the page.
import type { NumberOrder } from '../../port/reader-and-writer.ts';
import { cellValue } from '../filters/cell.ts';
import { FirstItems } from './first-items.ts';
import { compareIds } from './search-target.ts';
import type { Selection } from './selection.ts';
import { SmallestKeys } from './smallest-keys.ts';

/** The page to find: what it starts after, and how many slots it has. */
export interface OrderedPage {
  readonly order: NumberOrder;
  /** With the order's `afterNumber`: the id that the page starts after. */
  readonly after: string | null;
  readonly limit: number;
}

export interface OrderedSlot {
  readonly selection: Selection;
  readonly row: number;
  readonly id: string;
}

/** The id at a row; null when the record has changed since the snapshot. */
export type ReadId = (selection: Selection, row: number) => string | null;

/** Collects the slots with the first ids of many, without all of them in memory. */
export function firstById(limit: number): FirstItems<OrderedSlot> {
  return new FirstItems<OrderedSlot>({
    compare: (a, b) => compareIds(a.id, b.id),
    ...{ limit, slack: limit },
    ...{ bytesMax: Number.POSITIVE_INFINITY, bytesOf: () => 0 },
  });
}

/** Slots whose ids are read together. */
const BATCH_SLOTS = 1_024;

/** The first slots of the page, in order; null when a record has changed since the snapshot. */
export function firstByNumber(
  selections: readonly Selection[],
  page: OrderedPage,
  readId: ReadId,
): readonly OrderedSlot[] | null {
  const { order, after, limit } = page;
  const start = order.afterNumber === null ? Number.NEGATIVE_INFINITY : keyOf(order, order.afterNumber);
  const hasStart = order.afterNumber !== null && after !== null;
  const smallest = new SmallestKeys(limit);
  visitKeys(selections, order, (_selection, _slot, key) => {
    if (!hasStart || key > start) smallest.add(key);
  });
  const last = smallest.largest;
  // Equal keys at the start and at the end of the page are ordered by ids, of which only the first ones are kept.
  const atStart = new FirstIds(limit, { readId, after });
  const atEnd = new FirstIds(limit, { readId, after: null });
  const between: { readonly key: number; readonly selection: Selection; readonly slot: number }[] = [];
  visitKeys(selections, order, (selection, slot, key) => {
    if (hasStart && key === start) atStart.add(selection, slot);
    else if (hasStart && key < start) return;
    else if (key < last) between.push({ key, selection, slot });
    else if (key === last) atEnd.add(selection, slot);
  });
  const first = atStart.finish();
  const rest = atEnd.finish();
  const middle: { readonly key: number; readonly found: OrderedSlot }[] = [];
  for (const { key, selection, slot } of between) {
    const found = locate(selection, [slot], readId)?.[0];
    if (found === undefined) return null;
    middle.push({ key, found });
  }
  if (first === null || rest === null) return null;
  middle.sort((a, b) => a.key - b.key || compareIds(a.found.id, b.found.id));
  return [...first, ...middle.map(({ found }) => found), ...rest].slice(0, limit);
}

function keyOf({ descending }: NumberOrder, value: number): number {
  return descending ? -value : value;
}

/** Calls `visit` for each selected slot that has a number in the field. */
function visitKeys(
  selections: readonly Selection[],
  order: NumberOrder,
  visit: (selection: Selection, slot: number, key: number) => void,
): void {
  for (const selection of selections) {
    const { bitmap, snapshot, view } = selection;
    view.columns.visitCells(order.field, { bitmap, slotCount: snapshot.slotCount }, (low, high, slot) => {
      const value = cellValue(low, high);
      if (typeof value === 'number') visit(selection, slot, keyOf(order, value));
    });
  }
}

function locate(
  selection: Selection,
  slots: readonly number[],
  readId: ReadId,
): readonly OrderedSlot[] | null {
  const ids = selection.view.idsOf(slots);
  const located: OrderedSlot[] = [];
  for (const [i, row] of selection.view.rowsOf(slots).entries()) {
    const id = ids[i] ?? readId(selection, row);
    if (id === null) return null;
    located.push({ selection, row, id });
  }
  return located;
}

/** The slots with the first ids of many, found batch by batch. */
class FirstIds {
  readonly #readId: ReadId;
  readonly #after: string | null;
  readonly #first: FirstItems<OrderedSlot>;
  #batch: number[] = [];
  #selection: Selection | null = null;
  #isOvertaken = false;

  constructor(limit: number, { readId, after }: { readonly readId: ReadId; readonly after: string | null }) {
    this.#readId = readId;
    this.#after = after;
    this.#first = firstById(limit);
  }

  add(selection: Selection, slot: number): void {
    if (this.#selection !== selection || this.#batch.length === BATCH_SLOTS) this.#take();
    this.#selection = selection;
    this.#batch.push(slot);
  }

  /** Null when a record has changed since the snapshot. */
  finish(): readonly OrderedSlot[] | null {
    this.#take();
    return this.#isOvertaken ? null : this.#first.finish();
  }

  #take(): void {
    const slots = this.#batch;
    this.#batch = [];
    if (this.#selection === null || slots.length === 0 || this.#isOvertaken) return;
    const located = locate(this.#selection, slots, this.#readId);
    if (located === null) {
      this.#isOvertaken = true;
      return;
    }
    const after = this.#after;
    for (const each of located) if (after === null || compareIds(each.id, after) > 0) this.#first.add(each);
  }
}
