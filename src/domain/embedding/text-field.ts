// The rules for field_map: which record field an integrated index embeds, and which it embedded before.
import { invalid } from '../faults.ts';
import type { IndexEmbedding } from './index-embedding.ts';

const FIELD_BYTES_MAX = 256;
/** Forgetting one would leave old vectors among new ones when the index is embedded again. */
const FORMER_FIELDS_MAX = 100;
/** Fields that name the record itself. */
const RESERVED: ReadonlySet<string> = new Set(['id', '_id', '_score']);

/** The field that `text` is mapped to. @throws invalid-argument */
export function checkTextField(fieldMap: Readonly<Record<string, unknown>>): string {
  const { text: field, ...others } = fieldMap;
  if (typeof field !== 'string' || field === '') {
    throw invalid('embed.field_map must map the key text to a record field.');
  }
  const [other] = Object.keys(others);
  if (other !== undefined) {
    throw invalid(`embed.field_map takes the key text only, got '${other.slice(0, FIELD_BYTES_MAX)}'.`);
  }
  if (Buffer.byteLength(field) > FIELD_BYTES_MAX) {
    throw invalid(`embed.field_map.text must be at most ${FIELD_BYTES_MAX} bytes long.`);
  }
  if (field.startsWith('$') || RESERVED.has(field)) {
    throw invalid(`embed.field_map.text cannot be '${field}': the name is reserved.`);
  }
  return field;
}

/** The embedding with another text field, which remembers the present one. @throws invalid-argument */
export function withTextField(embed: IndexEmbedding, textField: string): IndexEmbedding {
  if (textField === embed.textField) return embed;
  const former = [embed.textField, ...(embed.formerTextFields ?? [])].filter((field) => field !== textField);
  if (former.length > FORMER_FIELDS_MAX) {
    throw invalid(
      `embed.field_map has mapped text to ${FORMER_FIELDS_MAX} other fields already; only to one of these it can change.`,
    );
  }
  return { ...embed, textField, formerTextFields: former };
}
