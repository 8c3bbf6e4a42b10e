// Records as the endpoints of browsing answer them: of indexes of vectors and of documents alike.
import type { StoredRecord } from '../../../app/records/record-access.ts';
import { Type } from '../../schema/type.ts';
import { vectorsText } from '../records/record-text.ts';
import { RecordId, SparseValues, Values } from '../records/schemas.ts';

const FieldValue = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Array(Type.String())]);

export const Fields = Type.Record(Type.String(), FieldValue, {
  description: 'The metadata; of a document all fields but its vectors.',
  examples: [{ genre: 'drama', year: 2020 }],
});

export const BrowsedRecord = Type.Object(
  { id: RecordId, fields: Fields },
  { title: 'BrowsedRecord', examples: [{ id: 'movie-1', fields: { genre: 'drama', year: 2020 } }] },
);

export const WholeRecord = Type.Object(
  {
    id: RecordId,
    values: { ...Values, description: 'The dense vector; empty without one.' },
    sparseValues: Type.Optional(SparseValues),
    fields: Fields,
  },
  {
    title: 'WholeRecord',
    examples: [{ id: 'movie-1', values: [0.1, 0.2, 0.3], fields: { genre: 'drama', year: 2020 } }],
  },
);

/** JSON text of a record without its vectors. */
export function browsedText({ id, metadataJson }: Pick<StoredRecord, 'id' | 'metadataJson'>): string {
  return `{"id":${JSON.stringify(id)},"fields":${metadataJson ?? '{}'}}`;
}

/** JSON text of a record with its vectors. */
export function wholeText(record: StoredRecord): string {
  return `{"id":${JSON.stringify(record.id)},${vectorsText(record)},"fields":${record.metadataJson ?? '{}'}}`;
}
