// What makes an index integrated: which field it embeds, with which model, and whose vectors it holds.
import type { EmbeddingSource } from './embedding-source.ts';

/** As given and completed: names and values of a request's `parameters`, without `dimension`, which is the index's. */
export type StoredParameters = Readonly<Record<string, string | number | boolean>>;

export interface IndexEmbedding {
  readonly model: string;
  /** The record field whose text is embedded; `field_map.text`. */
  readonly textField: string;
  readonly writeParameters: StoredParameters;
  readonly readParameters: StoredParameters;
  /** Who made the vectors. */
  readonly source: EmbeddingSource;
  /**
   * While the vectors are being made anew, and after that was cut off: by whom. Vectors of both sources are in
   * the index then.
   */
  readonly remaking: EmbeddingSource | null;
}
