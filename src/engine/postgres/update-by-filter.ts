// Changes the metadata of the records that match a filter. Within the transaction of a write.
import { Buffer } from 'node:buffer';
import type { IndexProfile } from '../../domain/index-model.ts';
import { changedMetadata, isEmptyChange } from '../../domain/records/record-change.ts';
import type { MetadataChange } from '../port/reader-and-writer.ts';
import type { ChangingClient } from './database.ts';
import type { Parameters } from './parameters.ts';
import type { ChangedMetadata } from './record-rows.ts';
import type { RecordTables } from './record-tables.ts';

/** Records that are read and written at a time: so many, or of so many bytes with their vectors. */
const PART_RECORDS = 1_000;
const PART_BYTES = 2 ** 25;

export interface MatchingRecords {
  readonly namespace: number;
  /** On records. */
  readonly condition: string;
  /** Those of the condition. */
  readonly parameters: Parameters;
  /** The first ones, by id, are changed. */
  readonly recordsMax: number;
}

interface MatchRow {
  readonly id: string;
  readonly bytes: number;
}

interface MetadataRow {
  readonly id: string;
  readonly metadata: string | null;
  /** Entries of the sparse vector; null for none. */
  readonly terms: number | null;
}

/** Returns how many records match. An empty change only counts them. @throws as `changedRecord` */
export async function updateMatching(
  client: ChangingClient,
  { tables, profile }: { readonly tables: RecordTables; readonly profile: IndexProfile },
  matching: MatchingRecords,
  change: MetadataChange,
): Promise<number> {
  const { condition, parameters, recordsMax, namespace } = matching;
  const { records } = tables.names;
  const limit = parameters.bind(recordsMax);
  if (isEmptyChange(change)) {
    const { rows } = await client.query<{ readonly matched: number }>(
      `select count(*) as matched from (select from ${records} where ${condition} limit ${limit}) as found`,
      parameters.values,
    );
    return rows[0]?.matched ?? 0;
  }
  const { rows } = await client.query<MatchRow>(
    `select id, bytes from ${records} where ${condition} order by id limit ${limit}`,
    parameters.values,
  );
  const changesTexts = tables.hasText([
    ...Object.keys(change.setMetadata ?? {}),
    ...(change.removeMetadata ?? []),
  ]);
  for (const ids of partsOf(rows)) {
    const found = await client.query<MetadataRow>(
      `select id, metadata, cardinality(sparse_indices) as terms from ${records}
       where namespace = $1 and id = any($2::text[])`,
      [namespace, ids],
    );
    const changed = found.rows.map((row) => changedRow(row, change, profile));
    await tables.putMetadata(client, namespace, changed, changesTexts);
  }
  return rows.length;
}

function changedRow(
  { id, metadata, terms }: MetadataRow,
  change: MetadataChange,
  profile: IndexProfile,
): ChangedMetadata {
  const sparse = terms === null ? null : { indices: { length: terms } };
  const metadataJson = changedMetadata({ id, sparse, metadataJson: metadata }, change, profile);
  const bytesAdded = Buffer.byteLength(metadataJson ?? '') - Buffer.byteLength(metadata ?? '');
  return { id, metadataJson, bytesAdded };
}

function* partsOf(matches: readonly MatchRow[]): Generator<readonly string[]> {
  let ids: string[] = [];
  let total = 0;
  for (const { id, bytes } of matches) {
    if (ids.length === PART_RECORDS || (ids.length > 0 && total + bytes > PART_BYTES)) {
      yield ids;
      ids = [];
      total = 0;
    }
    ids.push(id);
    total += bytes;
  }
  if (ids.length > 0) yield ids;
}
