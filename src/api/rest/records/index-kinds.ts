// Refuses operations that an index does not support because of its kind.
import { fault } from '../../../domain/faults.ts';
import type { Index, IndexProfile } from '../../../domain/index-model.ts';
import type { EndpointDetails } from '../../endpoint.ts';

/** @throws wrong-index-kind on pod-based indexes; `operation` starts the sentence */
export function refusePods(index: IndexProfile, operation: string): void {
  if (index.kind !== 'pod') return;
  throw fault('wrong-index-kind', {
    reason: `${operation} is supported on serverless indexes only; ${index.name} is a pod-based index`,
  });
}

/** @throws wrong-index-kind for a call of the vectors API on a document index, and the other way round */
export function requireServed(
  { indexKind }: EndpointDetails,
  index: Pick<Index, 'name' | 'documents'>,
): void {
  const kind = index.documents === null ? 'vectors' : 'documents';
  if (indexKind === undefined || indexKind === kind) return;
  throw fault('wrong-index-kind', {
    reason:
      kind === 'documents'
        ? `Index ${index.name} is a document index; use the documents API: /namespaces/{namespace}/documents/*`
        : `Index ${index.name} is not served by the documents API; use the vectors API (/vectors/*, /query), or the records API (/records/*) where it embeds texts`,
  });
}
