// The rules for the texts of a request: their number, no empty texts, and the rank fields of documents.
import { invalid } from '../faults.ts';
import type { EmbedModel, RerankModel } from './model.ts';

/** @throws invalid-argument for no inputs, too many, or an empty one; `path` names the list in messages */
export function checkInputs(model: EmbedModel, inputs: readonly string[], path = 'inputs'): void {
  checkCount({ count: inputs.length, model, path });
  for (const [position, text] of inputs.entries()) {
    if (text.trim() === '') throw invalid(`${path}[${position}].text must not be empty.`);
  }
}

/** @throws invalid-argument */
export function checkQuery(query: string, path = 'query'): void {
  if (query.trim() === '') throw invalid(`${path} must not be empty.`);
}

/**
 * Returns the texts to rank: for each document the values of its rank fields, in order, one per line.
 * Values other than text are ranked as JSON.
 * @throws invalid-argument for no documents, too many documents or fields, or a missing field
 */
export function rankedTexts(
  model: RerankModel,
  documents: readonly Readonly<Record<string, unknown>>[],
  rankFields: readonly string[],
): readonly string[] {
  checkCount({ count: documents.length, model, path: 'documents' });
  checkRankFields(model, rankFields);
  return documents.map((document, index) =>
    rankFields.map((field) => fieldText(document, field, index)).join('\n'),
  );
}

/** @throws invalid-argument for no field or too many */
export function checkRankFields(model: RerankModel, rankFields: readonly string[]): void {
  if (rankFields.length === 0) throw invalid('rank_fields must name at least one field.');
  if (rankFields.length <= model.rankFieldsMax) return;
  throw invalid(
    model.rankFieldsMax === 1
      ? `Only one rank field is supported for model ${model.name}, got ${rankFields.length}.`
      : `At most ${model.rankFieldsMax} rank fields are supported for model ${model.name}, got ${rankFields.length}.`,
  );
}

function fieldText(document: Readonly<Record<string, unknown>>, field: string, index: number): string {
  const value = Object.hasOwn(document, field) ? document[field] : undefined;
  if (value === undefined || value === null)
    throw invalid(`field '${field}' not found in document at index ${index}`);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

interface Counted {
  readonly count: number;
  readonly model: EmbedModel | RerankModel;
  readonly path: string;
}

function checkCount({ count, model, path }: Counted): void {
  if (count === 0) throw invalid(`${path} must hold at least one entry.`);
  if (count <= model.maxBatchSize) return;
  throw invalid(
    `${path} holds ${count} entries, which exceeds the limit of ${model.maxBatchSize} for model '${model.name}'.`,
  );
}
