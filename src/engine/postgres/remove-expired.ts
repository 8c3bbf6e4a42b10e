// Removes expired records, the earliest first. Within the transaction of a write.
import type { Removal, RemovalRequest } from '../port/reader-and-writer.ts';
import type { ChangingClient } from './database.ts';
import { filterSql } from './filter-sql.ts';
import { PUBLISHED } from './namespaces.ts';
import { Parameters } from './parameters.ts';
import type { RecordTables } from './record-tables.ts';
import { codedText } from './stored-fields.ts';

interface ExpiredRow {
  readonly namespace: number;
  readonly id: string;
  readonly moment: number;
}

export async function removeExpired(
  client: ChangingClient,
  tables: RecordTables,
  { field, now, recordsMax }: RemovalRequest & { readonly field: string },
): Promise<Removal> {
  const parameters = new Parameters();
  const owner = parameters.bind(PUBLISHED);
  const isExpired = filterSql(
    { kind: 'field', field, test: { op: 'compare', relation: 'lte', bound: now } },
    { parameters, isFilterable: () => true, texts: new Map() },
  );
  const { rows } = await client.query<ExpiredRow>(
    `select namespace, id, (fields ->> ${parameters.bind(codedText(field))})::double precision as moment
     from ${tables.names.records}
     where namespace in (select number from ${tables.names.namespaces} where owner = ${owner}) and ${isExpired}
       and jsonb_typeof(fields -> ${parameters.bind(codedText(field))}) = 'number'
     order by moment limit ${parameters.bind(recordsMax + 1)}`,
    parameters.values,
  );
  const removed = rows.slice(0, recordsMax);
  const byNamespace = Map.groupBy(removed, ({ namespace }) => namespace);
  for (const [namespace, expired] of byNamespace) {
    await tables.remove(client, namespace, 'id = any($2::text[])', [expired.map(({ id }) => id)]);
    await tables.dropIfEmptied(client, namespace);
  }
  const oldest = rows[recordsMax]?.moment ?? null;
  return { removed: removed.length, isDone: oldest === null, oldest };
}
