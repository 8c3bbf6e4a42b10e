// Stores edited metadata: as an update where fields were added or changed, as a whole record where some were removed.
import { callIndex } from '../../api/call.ts';
import type { Metadata, VectorRecord } from '../../api/types.ts';

/** @throws Problem */
export async function saveMetadata(
  index: string,
  namespace: string,
  record: VectorRecord,
  metadata: Metadata,
): Promise<void> {
  const before = record.metadata ?? {};
  const isRemoval = Object.keys(before).some((name) => !(name in metadata));
  if (isRemoval) {
    const { id, values, sparseValues } = record;
    const whole = {
      id,
      metadata,
      ...(values === undefined || values.length === 0 ? {} : { values }),
      ...(sparseValues === undefined ? {} : { sparseValues }),
    };
    await callIndex(index, 'POST', 'vectors/upsert', { body: { namespace, vectors: [whole] } });
    return;
  }
  const changed = Object.fromEntries(
    Object.entries(metadata).filter(
      ([name, value]) => JSON.stringify(before[name]) !== JSON.stringify(value),
    ),
  );
  await callIndex(index, 'POST', 'vectors/update', {
    body: { namespace, id: record.id, setMetadata: changed },
  });
}
