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
}
