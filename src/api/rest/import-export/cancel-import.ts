// DELETE /bulk/imports/{id}: cancels an import and removes what it stored.

import { Empty } from '../records/schemas.ts';
import type { BulkEndpoint } from './bulk-endpoint.ts';
import { ImportPath } from './import-wire.ts';

export const cancelImport: BulkEndpoint = {
  id: 'cancel_bulk_import',
  method: 'DELETE',
  path: '/bulk/imports/{id}',
  tag: 'Bulk imports',
  summary: 'Cancel an import',
  description:
    'Removes what the import has stored. The import reads Cancelled from now on. No effect on an import that has ended.',
  since: '2024-10',
  permission: 'data_plane::imports::write',
  errors: 'both',
  params: ImportPath,
  success: { status: 200, description: 'The import is cancelled, or had ended.', schema: Empty },
  faults: ['import-not-found'],
  handle: async (call) => {
    await call.services.imports.cancel(call, call.params.id ?? '');
    return { status: 200, body: {} };
  },
};
