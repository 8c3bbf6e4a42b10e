// What an assistant is: what its owner gave, its states, and the two indexes of its own that hold its chunks.
import type { IndexProfile } from '../index-model.ts';

export const ASSISTANT_REGIONS = ['us', 'eu'] as const;
export type AssistantRegion = (typeof ASSISTANT_REGIONS)[number];

export type AssistantState = 'Initializing' | 'Ready' | 'Failed' | 'Terminating' | 'InitializationFailed';

/** JSON object of the owner's; assistants, unlike files, are not searched by it. */
export type AssistantMetadata = Readonly<Record<string, unknown>>;

/** A model and the source its vectors came from when the assistant was made. */
export interface StoredModel {
  readonly model: string;
  /** As `sourceText` writes it. */
  readonly source: string;
}

/** What the chunks of an assistant are embedded with. With others it gets other indexes: vectors of two sources cannot be compared. */
export interface AssistantModels {
  readonly dense: StoredModel & { readonly dimension: number };
  readonly sparse: StoredModel;
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
  /** UUIDs of the indexes of its chunks; others once its files were embedded anew. */
  readonly denseIndexId: string;
  readonly sparseIndexId: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** File metadata that chunks are found by lives in the catalog; of a chunk only its revision can be asked for. */
export const REVISION_FIELD = 'revision';

/** Where chunks are, and what they are embedded with. */
export type ChunkLocation = Pick<Assistant, 'models' | 'denseIndexId' | 'sparseIndexId'>;

/** The facts of the indexes that hold the chunks. They are in no list of indexes and have no address. */
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
  const { dimension } = assistant.models.dense;
  return {
    dense: { ...common, id: assistant.denseIndexId, vectorType: 'dense', dimension },
    sparse: { ...common, id: assistant.sparseIndexId, vectorType: 'sparse', dimension: null },
  };
}

const NEXT: Readonly<Record<AssistantState, readonly AssistantState[]>> = {
  Initializing: ['Ready', 'InitializationFailed', 'Terminating'],
  Ready: ['Failed', 'Terminating'],
  Failed: ['Ready', 'Terminating'],
  InitializationFailed: ['Terminating'],
  Terminating: [],
};

/** Whether an assistant may go from one state to another. */
export function mayBecome(from: AssistantState, to: AssistantState): boolean {
  return NEXT[from].includes(to);
}

/** States from which one may get to `to`. */
export function statesBefore(to: AssistantState): readonly AssistantState[] {
  return (Object.keys(NEXT) as AssistantState[]).filter((from) => mayBecome(from, to));
}
