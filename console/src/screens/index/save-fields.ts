// Stores edited fields: as an update where the interface has one for the change, else as a whole record.
import { callIndex } from '../../api/call.ts';
import type { Index, Metadata, WholeRecord } from '../../api/types.ts';
import type { Action } from '../../ui/action.ts';
import { isDocumentIndex } from './index-kind.ts';

export interface Edited {
  /** The fields that the person began with: the record may have changed since. */
  readonly before: Metadata;
  readonly after: Metadata;
}

/**
 * Saves the fields that differ, and leaves all others as they are.
 * @param record as it was read last
 * @throws Problem
 */
export async function saveFields(
  index: Index,
  namespace: string,
  record: WholeRecord,
  { before, after }: Edited,
): Promise<void> {
  const removed = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  const changed = Object.fromEntries(
    Object.entries(after).filter(([name, value]) => JSON.stringify(before[name]) !== JSON.stringify(value)),
  );
  if (isDocumentIndex(index)) {
    const change = {
      _id: record.id,
      ...changed,
      ...(removed.length === 0 ? {} : { _remove_fields: removed }),
    };
    await callIndex(index.name, 'POST', `namespaces/${encodeURIComponent(namespace)}/documents/update`, {
      body: { documents: [change] },
    });
  } else if (removed.length > 0) {
    const kept = Object.entries(record.fields).filter(([name]) => !removed.includes(name));
    const fields = { ...Object.fromEntries(kept), ...changed };
    await replaceRecord(index.name, namespace, { ...record, fields });
  } else {
    await callIndex(index.name, 'POST', 'vectors/update', {
      body: { namespace, id: record.id, setMetadata: changed },
    });
  }
}

/** An update of a vector cannot remove fields. */
async function replaceRecord(
  index: string,
  namespace: string,
  { id, values, sparseValues, fields: metadata }: Omit<WholeRecord, 'fields'> & { readonly fields: Metadata },
): Promise<void> {
  const whole = {
    id,
    metadata,
    ...(values.length === 0 ? {} : { values }),
    ...(sparseValues === undefined ? {} : { sparseValues }),
  };
  await callIndex(index, 'POST', 'vectors/upsert', { body: { namespace, vectors: [whole] } });
}

/** Deletes records by their ids, or all that match a filter. @throws Problem */
export async function deleteRecords(
  index: Index,
  namespace: string,
  selection: { readonly ids: readonly string[] } | { readonly filter: object },
  { scope }: Action,
): Promise<void> {
  if (isDocumentIndex(index)) {
    const path = `namespaces/${encodeURIComponent(namespace)}/documents/delete`;
    await callIndex(index.name, 'POST', path, { body: selection, scope });
  } else await callIndex(index.name, 'POST', 'vectors/delete', { body: { namespace, ...selection }, scope });
}

/** Sets fields of all records that match a filter; returns how many matched. @throws Problem */
export async function updateMatching(
  index: Index,
  namespace: string,
  filter: object,
  fields: Metadata,
): Promise<number> {
  if (isDocumentIndex(index)) {
    const path = `namespaces/${encodeURIComponent(namespace)}/documents/update`;
    const { body } = await callIndex<{ readonly matched_records?: number }>(index.name, 'POST', path, {
      body: { filter, set_fields: fields },
    });
    return body.matched_records ?? 0;
  }
  const { body } = await callIndex<{ readonly matchedRecords?: number }>(
    index.name,
    'POST',
    'vectors/update',
    {
      body: { namespace, filter, setMetadata: fields },
    },
  );
  return body.matchedRecords ?? 0;
}
