// A chunk of a file as a record: its revision, its text and its position in the file.

import { REVISION_FIELD, TERMS_FIELD, TITLE_FIELD } from '../../../domain/assistants/assistant.ts';
import { parseOwnJson } from '../../../domain/json.ts';
import type { FoundChunk } from './found-chunk.ts';

export type StoredChunk = FoundChunk;

interface ChunkMetadata {
  readonly [REVISION_FIELD]: string;
  readonly text: string;
  /** JSON text of the rest: metadata is flat. */
  readonly place: string;
  /** What searches by words read, where they do not read vectors. */
  readonly [TERMS_FIELD]?: string;
  readonly [TITLE_FIELD]?: string;
}

/** The terms of a chunk, and of what stands above it, separated by spaces. */
export interface ChunkTerms {
  readonly terms: string;
  readonly title: string;
}

/** Deterministic, so that writing the same chunk again changes nothing. */
export function chunkId({ revisionId, number }: Pick<StoredChunk, 'revisionId' | 'number'>): string {
  return `${revisionId}_${number}`;
}

export function chunkMetadata({ revisionId, text, ...place }: StoredChunk, words?: ChunkTerms): string {
  const metadata: ChunkMetadata = { [REVISION_FIELD]: revisionId, text, place: JSON.stringify(place) };
  return JSON.stringify(
    words === undefined ? metadata : { ...metadata, [TERMS_FIELD]: words.terms, [TITLE_FIELD]: words.title },
  );
}

/** The metadata that a record needs to be found and removed. */
export function revisionOnly({ revisionId }: Pick<StoredChunk, 'revisionId'>): string {
  return JSON.stringify({ [REVISION_FIELD]: revisionId });
}

/** Trusts the record: only `chunkMetadata` writes it. */
export function storedChunk(metadata: object): StoredChunk {
  const { revision, text, place } = metadata as ChunkMetadata;
  return { ...parseOwnJson<Omit<StoredChunk, 'revisionId' | 'text'>>(place), revisionId: revision, text };
}
