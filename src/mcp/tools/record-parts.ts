// What a record in an answer of the service consists of, whatever the kind of its index.
import { isJsonObject, type JsonObject, membersOf } from '../../domain/json.ts';
import type { IndexKind } from './index-kind.ts';

export interface RecordParts {
  readonly id: unknown;
  /** Undefined unless it was searched. */
  readonly score: unknown;
  /** Its own: no name of them means anything here. */
  readonly fields: JsonObject;
}

/**
 * Documents have their fields beside `_id` and `_score`. Hits in texts have them in `fields`, and records of vectors in
 * `metadata`.
 */
export function recordParts(kind: IndexKind, record: JsonObject): RecordParts {
  if (kind === 'documents') {
    const { _id: id, _score: score, ...fields } = record;
    return { id, score, fields };
  }
  const { id, _id, score, _score, metadata, fields } = record;
  return {
    id: id ?? _id,
    score: score ?? _score,
    fields: isJsonObject(fields) ? fields : membersOf(metadata),
  };
}
