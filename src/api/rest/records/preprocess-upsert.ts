// The main thread's part of a text upsert: reads the lines as they arrive, embeds all of their texts or none, and
// passes records with vectors to the writer.
import { Buffer } from 'node:buffer';
import { requireCurrent } from '../../../domain/embedding/current-source.ts';
import { type NumberList, packEngineBody } from '../../../domain/embedding/engine-body.ts';
import { appliedParameters } from '../../../domain/embedding/stored-parameters.ts';
import { invalid } from '../../../domain/faults.ts';
import { fieldText } from '../../../domain/filter/condition-text.ts';
import { InputTooLong } from '../../../domain/inference/input-too-long.ts';
import type { Embedding } from '../../../domain/inference/port.ts';
import type { TextRecordRules } from '../../../domain/records/text-record.ts';
import type { DataAnswer } from '../../data-request.ts';
import type { PreprocessorCall } from '../../endpoint.ts';
import { textLines } from './text-lines.ts';
import { inLine, type NumberedRecord, readTextRecord } from './text-record.ts';

export async function preprocessUpsert(call: PreprocessorCall): Promise<DataAnswer> {
  const { index, inference, signal, params, namespaces } = call;
  const { embed, model } = requireCurrent(inference, index);
  namespaces.read(params.namespace);
  const place = { path: 'write_parameters', dimension: index.dimension } as const;
  const parameters = appliedParameters(model, embed.writeParameters, place);
  const rules = { textField: embed.textField, uncounted: index.timeToLive?.field };
  const records = await readRecords(call, rules, model.maxBatchSize);
  const inputs = records.map(({ text }) => text);
  const { embeddings } = await inference
    .embed({ model, inputs, parameters }, { signal })
    .catch((error: unknown) => {
      throw namingLine(error, records, embed.textField);
    });
  const lists = records.flatMap(({ line }, position) =>
    inLine(line, () => vectorLists(embeddings[position], { dimension: index.dimension, embed })),
  );
  const rows = records.map(({ id, metadataJson }) => [id, metadataJson]);
  return call.run(packEngineBody([Buffer.from(JSON.stringify({ records: rows }))], lists));
}

async function readRecords(
  { body }: PreprocessorCall,
  rules: TextRecordRules,
  countMax: number,
): Promise<readonly NumberedRecord[]> {
  const records: NumberedRecord[] = [];
  for await (const line of textLines(body)) {
    if (records.length === countMax) {
      throw invalid(`A request must hold at most ${countMax} records; line ${line.number} exceeds that`);
    }
    records.push(readTextRecord(line, rules));
  }
  if (records.length === 0) throw invalid('The request holds no record: send one JSON object a line');
  return records;
}

/** Names the line of an input that a model refused, since errors of models name its position. */
function namingLine(error: unknown, records: readonly NumberedRecord[], textField: string): unknown {
  const record = error instanceof InputTooLong ? records[error.position] : undefined;
  if (!(error instanceof InputTooLong) || record === undefined) return error;
  return error.saidOf(`Line ${record.line}: Field '${fieldText(textField)}'`, 'write_parameters');
}

interface Wanted {
  readonly dimension: number | null;
  readonly embed: { readonly textField: string };
}

/** Returns the numbers of a record's vector: values, or indices and values if sparse. @throws invalid-argument */
export function vectorLists(
  embedding: Embedding | undefined,
  { dimension, embed }: Wanted,
): readonly NumberList[] {
  if (embedding === undefined) throw new Error('the model returned no embedding for a text');
  if (embedding.vectorType === 'dense') {
    if (embedding.values.length === dimension) return [embedding.values];
    throw new Error(`an embedding has ${embedding.values.length} values instead of ${dimension}`);
  }
  if (embedding.indices.length === 0) {
    throw invalid(`Field '${embed.textField}' holds no word that could be searched for`);
  }
  return [embedding.indices, embedding.values];
}
