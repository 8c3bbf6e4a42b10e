// What the endpoints of browsing have in common.
import { parseOptionalDocumentFilter } from '../../../domain/filter/document-filter.ts';
import type { Filter } from '../../../domain/filter/grammar.ts';
import { parseOptionalFilter } from '../../../domain/filter/parse-filter.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import type { EndpointDetails } from '../../endpoint.ts';
import { NamespacePath } from '../records/schemas.ts';

/** Address and rules of the call with this name. */
export function browseCall(name: string) {
  return {
    method: 'POST',
    path: `/records/namespaces/{namespace}/${name}`,
    tag: 'Browsing',
    since: '2026-07',
    permission: 'data_plane::vectors::read',
    errors: 'standard',
    params: NamespacePath,
    queue: 'read',
  } as const satisfies Partial<EndpointDetails> & { readonly queue: 'read' };
}

/** Null for every record. @throws bad-filter */
export function readBrowseFilter(
  json: unknown,
  { documents }: Pick<IndexProfile, 'documents'>,
): Filter | null {
  return documents === null ? parseOptionalFilter(json) : parseOptionalDocumentFilter(json, documents);
}
