// Texts of a migration into an index that embeds them itself: upserted as records, fetched as metadata.

import type { RecordKind } from './record-kind.ts';
import { vectorKind } from './vector-kind.ts';
import { signatureOf } from './wire-record.ts';

/** As many as the server embeds at a time. */
const UPSERT_RECORDS_MAX = 96;

export const textKind: RecordKind = {
  upsertRecordsMax: UPSERT_RECORDS_MAX,
  list: vectorKind.list,
  fetch: async (client, namespace, ids) => {
    const { records, unreadable } = await vectorKind.fetch(client, namespace, ids);
    const texts = records.map(({ id, body }) => {
      const { metadata } = body as { readonly metadata?: Readonly<Record<string, unknown>> };
      // The vectors are the server's own.
      return { id, body, signature: signatureOf({ id, metadata: metadata ?? null }) };
    });
    return { records: texts, unreadable };
  },
  upsert: async (client, namespace, records) => {
    const content = records.map(({ body }) => JSON.stringify(body)).join('\n');
    await client.call('POST', `/records/namespaces/${encodeURIComponent(namespace)}/upsert`, { content });
  },
};
