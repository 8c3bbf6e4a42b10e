// One namespace of the reference model: a Map of records, and the rules for which fields filters can use.
import { Buffer } from 'node:buffer';
import { textFieldsOf } from '../../domain/document-schema.ts';
import type { Filter } from '../../domain/filter/grammar.ts';
import { matches } from '../../domain/filter/matches.ts';
import type { TextAnalysis } from '../../domain/full-text/text-analysis.ts';
import type { IndexProfile, MetadataSchema } from '../../domain/index-model.ts';
import { parseMetadata } from '../../domain/records/metadata.ts';
import type { NamespaceSummary, StorableRecord, StoredRecord } from '../port/reader-and-writer.ts';
import { ReferenceTexts } from './reference-texts.ts';

const BYTES_PER_FLOAT = 4;
const BYTES_PER_SPARSE_ENTRY = 8;

export type ReferenceNamespaceKind = Pick<ReferenceNamespace, 'schema' | 'isExplicit'>;

export class ReferenceNamespace {
  /** Of this namespace alone. */
  readonly number: number;
  readonly name: string;
  readonly schema: MetadataSchema | null;
  /** True when a caller created it by name; others exist only as long as they have records. */
  readonly isExplicit: boolean;
  readonly records = new Map<string, StoredRecord>();
  readonly #profile: IndexProfile;
  readonly #filterable: ReadonlySet<string> | null;
  readonly #texts: ReadonlyMap<string, TextAnalysis>;

  constructor(
    name: string,
    { schema, isExplicit, number }: ReferenceNamespaceKind & Pick<ReferenceNamespace, 'number'>,
    profile: IndexProfile,
  ) {
    this.number = number;
    this.name = name;
    this.schema = schema;
    this.#profile = profile;
    this.isExplicit = isExplicit;
    const fields = schema === null ? profile.filterableFields : Object.keys(schema.fields);
    this.#filterable = fields === null ? null : new Set(fields);
    this.#texts = profile.documents === null ? new Map() : textFieldsOf(profile.documents);
  }

  /** Returns the records that match, in bytewise id order; every record when the filter is null. */
  matching(filter: Filter | null): StoredRecord[] {
    const all = [...this.records.values()];
    const texts = new ReferenceTexts(usesTexts(filter) ? all : [], this.#profile);
    const matching = filter === null ? all : all.filter((record) => this.#selects(filter, record, texts));
    return matching.sort((a, b) => compareAscii(a.id, b.id));
  }

  summary(): NamespaceSummary {
    let sizeBytes = 0;
    for (const record of this.records.values()) sizeBytes += recordBytes(record);
    const { number, name, schema, isExplicit } = this;
    return { number, name, recordCount: this.records.size, sizeBytes, schema, isExplicit };
  }

  indexedFields(): readonly string[] {
    const seen = new Set(this.#filterable);
    if (this.#filterable === null)
      for (const { metadataJson } of this.records.values())
        for (const field of Object.keys(parseMetadata(metadataJson))) seen.add(field);
    return [...seen].filter((field) => this.isFilterable(field)).sort(compareAscii);
  }

  /** The texts of all records, analyzed. */
  texts(): ReferenceTexts {
    return new ReferenceTexts(this.records.values(), this.#profile);
  }

  #selects(filter: Filter, { id, metadataJson }: StoredRecord, texts: ReferenceTexts): boolean {
    return matches(filter, parseMetadata(metadataJson), {
      isFilterable: (field) => this.isFilterable(field),
      matchesText: (query) => texts.scores(query).has(id),
    });
  }

  /** Whether filters can use a field. */
  isFilterable(field: string): boolean {
    return !this.#texts.has(field) && (this.#filterable?.has(field) ?? true);
  }
}

function usesTexts(filter: Filter | null): boolean {
  if (filter === null || filter.kind === 'field' || filter.kind === 'live') return false;
  if (filter.kind === 'text') return true;
  return filter.kind === 'not' ? usesTexts(filter.part) : filter.parts.some(usesTexts);
}

/** Ids and namespace names are ASCII, so comparing UTF-16 units compares bytes. */
export function compareAscii(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Bytes of a record's vectors and metadata as stored. */
export function recordBytes({ values, sparse, metadataJson }: StorableRecord): number {
  return (
    (values?.length ?? 0) * BYTES_PER_FLOAT +
    (sparse?.indices.length ?? 0) * BYTES_PER_SPARSE_ENTRY +
    Buffer.byteLength(metadataJson ?? '')
  );
}
