// The rules of the target index for its records, known before anything is written: those of the server itself.
import type { DocumentField, DocumentSchema } from '../../domain/document-schema.ts';
import { TEXT_LANGUAGES, type TextAnalysis } from '../../domain/full-text/text-analysis.ts';
import { isJsonObject, type JsonObject, membersOf } from '../../domain/json.ts';
import { checkDocument } from '../../domain/records/document-rules.ts';
import { checkMetadata } from '../../domain/records/metadata.ts';
import { checkFieldName, readDocument } from '../../domain/records/read-document.ts';
import { checkTextLengths } from '../../domain/records/text-lengths.ts';
import { textRecord } from '../../domain/records/text-record.ts';
import { readRecord } from '../../domain/records/vector-record.ts';
import type { ForeignTarget } from './foreign-target.ts';
import type { ForeignCollection } from './sources/port.ts';

export interface TargetRules {
  /** @throws Fault for a record that the target refuses */
  check(body: object): void;
  /** @throws Fault for a name that no field of a record may have */
  checkName(name: string): void;
}

/** @param target null where it is still to be created, for vectors */
export function rulesOf(
  target: ForeignTarget | null,
  { dimension, metric }: Pick<ForeignCollection, 'dimension' | 'metric'>,
): TargetRules {
  if (target?.kind === 'documents') return documentRules(target.fields);
  if (target?.kind === 'texts') {
    const textField = target.textField ?? '';
    return {
      check: (body) => textRecord({ ...body }, { textField, uncounted: undefined }),
      checkName: checkMetadataName,
    };
  }
  const shape = { vectorType: 'dense', metric, dimension } as const;
  return { check: (body) => readRecord(body, shape), checkName: checkMetadataName };
}

function checkMetadataName(name: string): void {
  checkMetadata({ [name]: '' });
}

/** The vectors of documents are made of their texts, after these rules. */
function documentRules(fields: JsonObject): TargetRules {
  const schema = schemaOf(fields);
  const isEmbedded = Object.values(fields).some((field) => {
    const { embed, sparse_embed: sparse } = membersOf(field);
    return isJsonObject(embed) || isJsonObject(sparse);
  });
  return {
    check: (body) => {
      const record = readDocument(body, schema, { values: null, sparse: null });
      checkDocument(schema, isEmbedded ? { ...record, values: { length: 0 } } : record);
      checkTextLengths(schema, { ...body });
    },
    checkName: checkFieldName,
  };
}

/** The schema that was described, without embeddings. */
function schemaOf(fields: JsonObject): DocumentSchema {
  const all = Object.entries(fields).flatMap(([name, described]): (readonly [string, DocumentField])[] => {
    const {
      type,
      filterable,
      dimension,
      full_text_search: search,
      store_text: storeText,
    } = membersOf(described);
    const description = null;
    if (type === 'sparse_vector') return [[name, { kind: 'sparse', description }]];
    if (type === 'dense_vector')
      return [[name, { kind: 'dense', dimension: Number(dimension), metric: 'cosine', description }]];
    // Metadata that early clients declared may have any type.
    if (type !== 'string' || filterable !== undefined) return [];
    const fullText = isJsonObject(search) ? analysisOf(search) : null;
    const texts = { kind: 'string', description, storeText: storeText !== false, fullText } as const;
    return [[name, { ...texts, embed: null, sparseEmbed: null }]];
  });
  return { fields: Object.fromEntries(all) };
}

function analysisOf({ language, stemming, stop_words: stopWords, ngram }: JsonObject): TextAnalysis {
  const { min_gram: minGram, max_gram: maxGram, prefix_only: prefixOnly } = membersOf(ngram);
  const hasGrams = typeof minGram === 'number' && typeof maxGram === 'number';
  return {
    language: TEXT_LANGUAGES.find((each) => each === language) ?? 'en',
    stemming: stemming === true,
    stopWords: stopWords === true,
    ngram: hasGrams ? { minGram, maxGram, prefixOnly: prefixOnly === true } : null,
  };
}
