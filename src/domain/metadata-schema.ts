// The metadata schema of an index: like a namespace's, except that names starting with `_` are reserved.
import { invalid } from './faults.ts';
import type { MetadataSchema } from './index-model.ts';
import { readMetadataSchema } from './records/metadata-schema.ts';

export interface RequestedMetadataSchema {
  readonly fields: Readonly<Record<string, { readonly filterable: boolean }>>;
}

/** Null when absent. @throws invalid-argument */
export function indexMetadataSchema(requested: RequestedMetadataSchema | undefined): MetadataSchema | null {
  for (const name of Object.keys(requested?.fields ?? {})) {
    if (name.startsWith('_')) throw invalid(`Schema field names must not start with '_', got '${name}'`);
  }
  return readMetadataSchema(requested);
}
