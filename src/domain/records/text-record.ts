// A record of an index for a model: its id, the text to embed, and its metadata, which includes the text.
import { invalid } from '../faults.ts';
import { fieldText } from '../filter/condition-text.ts';
import type { JsonObject } from '../json.ts';
import { checkMetadata, metadataText, type Uncounted } from './metadata.ts';
import { checkRecordId } from './record-id.ts';

/** The names that the id may have. */
export const TEXT_RECORD_IDS = ['_id', 'id'] as const;

export interface TextRecord {
  readonly id: string;
  readonly text: string;
  readonly metadataJson: string;
}

export interface TextRecordRules {
  readonly textField: string;
  readonly uncounted: Uncounted;
}

/** Reads a record as upserted. @throws invalid-argument, bad-metadata-value, metadata-too-big */
export function textRecord(
  { _id, id, ...fields }: JsonObject,
  { textField, uncounted }: TextRecordRules,
): TextRecord {
  return {
    id: recordId(_id, id),
    text: textOf(fields, textField),
    metadataJson: metadataText(checkMetadata(fields), uncounted),
  };
}

function recordId(underscored: unknown, plain: unknown): string {
  const [id, other] = [underscored, plain].filter(isGiven);
  if (other !== undefined) throw invalid('Give either _id or id, not both');
  if (id === undefined) throw invalid('A record needs an _id');
  return checkRecordId(id);
}

/** Null means unset, as in other optional fields. */
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function textOf(fields: JsonObject, name: string): string {
  const text = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (text === undefined) throw invalid(`Field '${fieldText(name)}', which the index embeds, is missing`);
  if (typeof text !== 'string') throw invalid(`Field '${fieldText(name)}' must be a string`);
  if (text.trim() === '') throw invalid(`Field '${fieldText(name)}' must not be empty`);
  return text;
}
