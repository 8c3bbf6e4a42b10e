// Reads one line of a text upsert.
import { Fault } from '../../../domain/faults.ts';
import { METADATA_BYTES_MAX } from '../../../domain/limits.ts';
import { type TextRecord, type TextRecordRules, textRecord } from '../../../domain/records/text-record.ts';
import { boundStructures } from '../../json-structures.ts';
import { parseObject } from './parse-body.ts';
import type { TextLine } from './text-lines.ts';

export interface NumberedRecord extends TextRecord {
  readonly line: number;
}

/** Metadata within its limit has no more lists than this: each takes two bytes and a name. */
const STRUCTURES_MAX = METADATA_BYTES_MAX / 4;

/** Reads a line. @throws body-not-json, invalid-argument, bad-metadata-value, metadata-too-big; each names the line */
export function readTextRecord({ number, bytes }: TextLine, rules: TextRecordRules): NumberedRecord {
  return inLine(number, () => {
    boundStructures(bytes, STRUCTURES_MAX);
    return { line: number, ...textRecord(parseObject(bytes, 'Each record'), rules) };
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
