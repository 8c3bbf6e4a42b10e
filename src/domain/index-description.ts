// What the catalog knows of an index, as it is kept beside the index's data for the day when the catalog is lost.
import type { Index } from './index-model.ts';

export interface IndexDescription {
  readonly index: Index;
  /** The name of its project; null when it was not known. */
  readonly projectName: string | null;
}

/** Keeps descriptions with the data of their indexes. */
export interface IndexDescriptions {
  /** Durable when it resolves. No effect while the index has no storage, or when this is what is kept. */
  keep(description: IndexDescription): Promise<void>;
}

/** What lies where a description should be. */
export type FoundDescription =
  | { readonly state: 'whole'; readonly description: IndexDescription }
  | { readonly state: 'missing' }
  | { readonly state: 'damaged'; readonly reason: string };
