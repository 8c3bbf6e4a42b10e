// GET /bulk/imports/{id}: describes an import and its progress.
import type { BulkEndpoint } from './bulk-endpoint.ts';
import { ImportObject, ImportPath, importBody } from './import-wire.ts';

export const describeImport: BulkEndpoint = {
  id: 'describe_bulk_import',
  method: 'GET',
  path: '/bulk/imports/{id}',
  tag: 'Bulk imports',
  summary: 'Describe an import',
  since: '2024-10',
  permission: 'data_plane::imports::read',
  errors: 'both',
  params: ImportPath,
  success: { status: 200, description: 'The import.', schema: ImportObject },
  faults: ['import-not-found'],
  handle: async (call) => {
    const details = await call.services.imports.describe(call, call.params.id ?? '');
    return { status: 200, body: importBody(details, call.version) };
  },
};
