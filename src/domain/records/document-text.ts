// JSON text of documents: flat objects with the id, the vector fields by their names, texts and metadata.
import type { DocumentSchema } from '../document-schema.ts';
import type { Scalar } from '../filter/grammar.ts';
import { float32ArrayText, scoreText } from './float32-text.ts';
import { parseMetadata } from './metadata.ts';
import type { StorableRecord } from './record.ts';

/** Names of the fields to show; null for every stored one. */
export type ShownFields = ReadonlySet<string> | null;

type Vectors = Partial<Pick<StorableRecord, 'values' | 'sparse' | 'metadataJson'>>;

/** A record that a search found, with the parts of it that are to be shown. */
interface Match extends Vectors {
  readonly id: string;
  readonly score: number;
  /** The value of its group, where matches are grouped. */
  readonly group?: Scalar;
  /** JSON text. */
  readonly highlights?: string;
}

/** A whole document, as it was upserted. */
export function documentText(record: StorableRecord, schema: DocumentSchema, shown: ShownFields): string {
  return objectText([`"_id":${JSON.stringify(record.id)}`, ...fieldTexts(record, schema, shown)]);
}

/** A match: its score, null when it is not finite, what the search adds to it, and the fields to show. */
export function matchText(match: Match, schema: DocumentSchema, shown: ShownFields): string {
  const score = Number.isFinite(match.score) ? scoreText(match.score) : 'null';
  const members = [`"_id":${JSON.stringify(match.id)}`, `"_score":${score}`];
  if (match.group !== undefined) members.push(`"_group":${JSON.stringify(match.group)}`);
  if (match.highlights !== undefined) members.push(`"_highlights":${match.highlights}`);
  return objectText([...members, ...fieldTexts(match, schema, shown)]);
}

function objectText(members: readonly string[]): string {
  return `{${members.join(',')}}`;
}

function fieldTexts(record: Vectors, schema: DocumentSchema, shown: ShownFields): readonly string[] {
  if (shown?.size === 0) return [];
  return [...vectorTexts(record, schema, shown), ...metadataTexts(record.metadataJson ?? null, shown)];
}

/** Vectors that were made of texts belong to no field, and are not shown. */
function vectorTexts(
  { values, sparse }: Vectors,
  { fields }: DocumentSchema,
  shown: ShownFields,
): readonly string[] {
  return Object.entries(fields).flatMap(([name, { kind }]) => {
    if (shown !== null && !shown.has(name)) return [];
    if (kind === 'dense' && values) return [`${JSON.stringify(name)}:${float32ArrayText(values)}`];
    if (kind !== 'sparse' || !sparse) return [];
    const numbers = `"indices":[${sparse.indices.join(',')}],"values":${float32ArrayText(sparse.values)}`;
    return [`${JSON.stringify(name)}:{${numbers}}`];
  });
}

function metadataTexts(metadataJson: string | null, shown: ShownFields): readonly string[] {
  if (metadataJson === null || metadataJson === '{}') return [];
  if (shown === null) return [metadataJson.slice(1, -1)];
  return Object.entries(parseMetadata(metadataJson))
    .filter(([name]) => shown.has(name))
    .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
}
