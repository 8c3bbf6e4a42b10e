// The embedding of an integrated index: its text field, its model and the source of its vectors.
import type { EmbeddingSource } from './embedding-source.ts';

/** A request's `parameters` with defaults filled in, without `dimension`, which belongs to the index. */
export type StoredParameters = Readonly<Record<string, string | number | boolean>>;

export interface IndexEmbedding {
  readonly model: string;
  /** The record field whose text is embedded; `field_map.text`. */
  readonly textField: string;
  /**
   * The fields that were embedded before, the last first: records written then have their texts there. Absent where
   * the text field never changed.
   */
  readonly formerTextFields?: readonly string[];
  readonly writeParameters: StoredParameters;
  readonly readParameters: StoredParameters;
  /** The source of the vectors. */
  readonly source: EmbeddingSource;
  /**
   * The new source during a re-embedding, and after one was interrupted. The index then holds vectors of both
   * sources.
   */
  readonly remaking: EmbeddingSource | null;
  /** Where the last re-embedding ended; absent where there was none. */
  readonly remade?: RemadeVectors;
}

/** The end of a re-embedding: earlier states of the index have vectors of another source. */
export interface RemadeVectors {
  /** The storage whose history it is in: an index that takes another model gets another. */
  readonly storageId: string;
  /** The state after this write, and all later ones, have vectors of the present source. */
  readonly lsn: number;
  /** So have the states from this moment on, in milliseconds since 1970. */
  readonly ms: number;
}
