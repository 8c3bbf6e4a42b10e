// Reads one line of a text upsert: the record's id, the text to embed, and the metadata, which includes the text.
import { Fault, invalid } from '../../../domain/faults.ts';
import { fieldText } from '../../../domain/filter/condition-text.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { METADATA_BYTES_MAX } from '../../../domain/limits.ts';
import { checkMetadata, metadataText } from '../../../domain/records/metadata.ts';
import { checkRecordId } from '../../../domain/records/record-id.ts';
import { boundStructures } from '../../json-structures.ts';
import { parseObject } from './parse-body.ts';
import type { TextLine } from './text-lines.ts';

export interface TextRecord {
  readonly line: number;
  readonly id: string;
  readonly text: string;
  readonly metadataJson: string;
}

/** Metadata within its limit has no more lists than this: each takes two bytes and a name. */
const STRUCTURES_MAX = METADATA_BYTES_MAX / 4;

/** Reads a line. @throws body-not-json, invalid-argument, bad-metadata-value, metadata-too-big; each names the line */
export function readTextRecord({ number, bytes }: TextLine, textField: string): TextRecord {
  return inLine(number, () => {
    boundStructures(bytes, STRUCTURES_MAX);
    const { _id, id, ...fields } = parseObject(bytes, 'Each record');
    return {
      line: number,
      id: recordId(_id, id),
      text: textOf(fields, textField),
      metadataJson: metadataText(checkMetadata(fields)),
    };
  });
}

/** Runs `work`, and adds the line to the message of any fault that it throws. */
export function inLine<Result>(line: number, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new Fault(error.condition, `Line ${line}: ${error.message}`, error);
  }
}

function recordId(underscored: unknown, plain: unknown): string {
  if (underscored !== undefined && plain !== undefined) throw invalid('Give either _id or id, not both');
  const id = underscored ?? plain;
  if (id === undefined) throw invalid('A record needs an _id');
  return checkRecordId(id);
}

function textOf(fields: JsonObject, name: string): string {
  const text = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (text === undefined) throw invalid(`Field '${fieldText(name)}', which the index embeds, is missing`);
  if (typeof text !== 'string') throw invalid(`Field '${fieldText(name)}' must be a string`);
  if (text.trim() === '') throw invalid(`Field '${fieldText(name)}' must not be empty`);
  return text;
}
