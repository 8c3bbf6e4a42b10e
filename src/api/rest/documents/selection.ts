// Which documents a fetch or a delete means: ids, or a filter.
import { invalid } from '../../../domain/faults.ts';
import { checkDocumentId } from '../../../domain/records/record-id.ts';
import { stringList } from './document-body.ts';

/** A list of ids. @throws invalid-argument when it is empty, too long, or holds what is no id */
export function readIds(value: unknown, max: number): readonly string[] | undefined {
  const ids = stringList(value, 'ids');
  if (ids === undefined) return undefined;
  if (ids.length < 1 || ids.length > max) throw invalid(`ids must hold 1 to ${max} ids, got ${ids.length}`);
  return ids.map(checkDocumentId);
}

/** True for an object with at least one condition. @throws invalid-argument for a filter without a condition */
export function hasFilter(filter: unknown): boolean {
  if (filter === undefined) return false;
  const isEmpty = typeof filter === 'object' && filter !== null && Object.keys(filter).length === 0;
  if (isEmpty) throw invalid('filter must not be empty');
  return true;
}
