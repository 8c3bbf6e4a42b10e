// The model of an assistant: its owner's fields, its states, and its two private indexes of chunks.

import type { DocumentSchema, StringField } from '../document-schema.ts';
import type { IndexProfile } from '../index-model.ts';
import { keysOf } from '../keys-of.ts';

export const ASSISTANT_REGIONS = ['us', 'eu'] as const;
export type AssistantRegion = (typeof ASSISTANT_REGIONS)[number];

export type AssistantState = 'Initializing' | 'Ready' | 'Failed' | 'Terminating' | 'InitializationFailed';

/** A JSON object of the owner; unlike file metadata, it cannot be filtered by. */
export type AssistantMetadata = Readonly<Record<string, unknown>>;

/** A model, and the source of its vectors when the assistant was created. */
export interface StoredModel {
  readonly model: string;
  /** In the form of `sourceText`. */
  readonly source: string;
}

/**
 * Stands for a model of words: chunks are searched by their terms, weighted by the statistics of all chunks. Assistants
 * of earlier releases have a sparse model instead, until they are re-embedded.
 */
export const TERMS_MODEL = 'pinyon-terms';

/** The models that embed an assistant's chunks. New models need new indexes: vectors of two sources cannot be compared. */
export interface AssistantModels {
  readonly dense: StoredModel & { readonly dimension: number };
  readonly sparse: StoredModel;
}

/** Whether chunks are searched by terms. */
export function hasTerms({ models }: Pick<Assistant, 'models'>): boolean {
  return models.sparse.model === TERMS_MODEL;
}

export interface Assistant {
  /** UUID. */
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly instructions: string | null;
  readonly metadata: AssistantMetadata | null;
  readonly region: AssistantRegion;
  readonly state: AssistantState;
  readonly models: AssistantModels;
  /** UUIDs of the indexes of its chunks; re-embedding its files replaces them. */
  readonly denseIndexId: string;
  readonly sparseIndexId: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The only field that filters chunks. File metadata stays in the catalog. */
export const REVISION_FIELD = 'revision';

/** The fields of a chunk that searches by words read: its terms, and those of its file's name and headings. */
export const TERMS_FIELD = 'terms';
export const TITLE_FIELD = 'title';

/** Terms are made by the assistant (app/assistants/terms): the field only divides them. */
const TERMS: StringField = {
  kind: 'string',
  description: null,
  storeText: true,
  fullText: { language: 'en', stemming: false, stopWords: false, ngram: null },
  embed: null,
  sparseEmbed: null,
};
const TERMS_SCHEMA: DocumentSchema = { fields: { [TERMS_FIELD]: TERMS, [TITLE_FIELD]: TERMS } };

/** The indexes that hold the chunks, and the models that embedded them. */
export type ChunkLocation = Pick<Assistant, 'models' | 'denseIndexId' | 'sparseIndexId'>;

/** Profiles of the indexes that hold the chunks. No list shows these indexes, and they have no address. */
export function chunkIndexes(assistant: Assistant): {
  readonly dense: IndexProfile;
  readonly sparse: IndexProfile;
} {
  const common = {
    name: assistant.name,
    projectId: assistant.projectId,
    kind: 'serverless',
    metric: 'dotproduct',
    filterableFields: [REVISION_FIELD],
    metadataSchema: { fields: { [REVISION_FIELD]: { filterable: true } } },
    dedicated: false,
    readable: true,
  } as const;
  const documents = hasTerms(assistant) ? TERMS_SCHEMA : null;
  const { dimension } = assistant.models.dense;
  return {
    dense: { ...common, id: assistant.denseIndexId, vectorType: 'dense', dimension, documents: null },
    sparse: { ...common, id: assistant.sparseIndexId, vectorType: 'sparse', dimension: null, documents },
  };
}

const NEXT: Readonly<Record<AssistantState, readonly AssistantState[]>> = {
  Initializing: ['Ready', 'InitializationFailed', 'Terminating'],
  Ready: ['Failed', 'Terminating'],
  Failed: ['Ready', 'Terminating'],
  InitializationFailed: ['Terminating'],
  Terminating: [],
};

/** The states that may follow each state. */
export function mayBecome(from: AssistantState, to: AssistantState): boolean {
  return NEXT[from].includes(to);
}

/** Returns the states that `to` may follow. */
export function statesBefore(to: AssistantState): readonly AssistantState[] {
  return keysOf(NEXT).filter((from) => mayBecome(from, to));
}
