// Applies the rules of upserted texts to lines and rows of files. Their vectors are still to be made.
import { invalid } from '../faults.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { TEXT_RECORD_IDS, textRecord } from '../records/text-record.ts';
import type { RecordRules } from '../records/vector-record.ts';
import { metadataColumnOf } from './column-names.ts';
import type { FileDocument } from './document-line.ts';
import { joinedMetadata } from './joined-metadata.ts';
import { parsedJson } from './parsed-json.ts';
import { type FieldNames, renamed } from './renamed-columns.ts';
import type { Row } from './row.ts';
import { uncountedOf } from './uncounted.ts';

export interface TextRules extends Pick<RecordRules, 'dimension' | 'timeToLive'> {
  readonly textField: string;
  readonly names: FieldNames;
}

/** The record of a line: the JSON object of an upsert, whose `metadata` may hold fields, too. @throws the faults of an upsert */
export function textOfLine(line: string, rules: TextRules): FileDocument {
  const json = parsedJson(line, 'The line');
  if (!isJsonObject(json)) throw invalid('The line must be a JSON object');
  const column = metadataColumnOf(rules.textField);
  const { [column]: metadata, ...fields } = renamed(json, rules.names);
  return fileText(joinedMetadata(metadata ?? null, fields, column), rules);
}

/** The record of a row. @throws the faults of an upsert */
export function textOfRow({ id, texts, metadata, fields }: Row, rules: TextRules): FileDocument {
  const own = Object.fromEntries([...fields, ...texts, ...(id === null ? [] : [[TEXT_RECORD_IDS[0], id]])]);
  return fileText(joinedMetadata(metadata, own, metadataColumnOf(rules.textField)), rules);
}

function fileText(json: JsonObject, { textField, dimension, ...rules }: TextRules): FileDocument {
  const { id, text, metadataJson } = textRecord(json, { textField, uncounted: uncountedOf(rules) });
  return {
    record: { id, values: null, sparse: null, metadataJson },
    texts: dimension === null ? { dense: null, sparse: text } : { dense: text, sparse: null },
  };
}
