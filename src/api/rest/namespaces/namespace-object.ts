// A namespace as the namespace endpoints show it.

import type { NamespaceSummary } from '../../../app/records/record-access.ts';
import { isAtLeast, type RequestedVersion } from '../../../domain/api-version.ts';
import { namespaceToShown } from '../../../domain/records/record-id.ts';

/** Renders a namespace. @param indexedFields the metadata fields that filters can use in it */
export function namespaceObject(
  summary: NamespaceSummary,
  indexedFields: readonly string[],
  version: RequestedVersion,
) {
  return {
    name: namespaceToShown(summary.name),
    record_count: summary.recordCount,
    ...(summary.schema === null ? {} : { schema: summary.schema }),
    indexed_fields: { fields: indexedFields },
    ...(isAtLeast(version, '2026-07') ? { size_bytes: String(summary.sizeBytes) } : {}),
  };
}
