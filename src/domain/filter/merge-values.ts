// Merges conditions on one field that lists of values can say together, so that one pass over records tests them all.
import { FILTER_IN_ENTRIES_MAX } from '../limits.ts';
import type { Filter, Scalar } from './grammar.ts';

/** `in` for parts of which one must match, `notIn` for parts that all must. */
export type ListOperator = 'in' | 'notIn';

/**
 * Parts that match the same, where each field has one list of values, or few: none has more than FILTER_IN_ENTRIES_MAX.
 * They keep the places of the first ones.
 */
export function mergeValues(parts: readonly Filter[], op: ListOperator): readonly Filter[] {
  const merged: Filter[] = [];
  const lists = new Map<string, Scalar[]>();
  for (const part of parts) {
    if (part.kind !== 'field' || part.test.op !== op) {
      merged.push(part);
      continue;
    }
    const { field, test } = part;
    const list = lists.get(field);
    if (list !== undefined && list.length + test.values.length <= FILTER_IN_ENTRIES_MAX) {
      for (const value of test.values) list.push(value);
      continue;
    }
    const values = [...test.values];
    lists.set(field, values);
    merged.push({ kind: 'field', field, test: { op, values } });
  }
  return merged;
}
