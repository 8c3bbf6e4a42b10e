// GET /bulk/imports: lists the imports of an index, newest first, in pages.
import { FINISHED_JOBS_MAX } from '../../../domain/jobs.ts';
import type { BulkEndpoint } from './bulk-endpoint.ts';
import { BULK_PAGE_QUERY, bulkPage, bulkPageReply } from './bulk-page.ts';
import { ImportObject, importBody } from './import-wire.ts';

export const listImports: BulkEndpoint = {
  id: 'list_bulk_imports',
  method: 'GET',
  path: '/bulk/imports',
  tag: 'Bulk imports',
  summary: 'List imports',
  description: `Newest first. Of imports that have ended, the newest ${FINISHED_JOBS_MAX.toLocaleString('en')} of a project are kept.`,
  since: '2024-10',
  permission: 'data_plane::imports::read',
  errors: 'both',
  query: BULK_PAGE_QUERY,
  success: { status: 200, description: 'A page of imports.', schema: bulkPage(ImportObject) },
  faults: ['invalid-argument'],
  handle: (call) =>
    bulkPageReply(call, {
      operation: 'list_bulk_imports',
      list: (page) => call.services.imports.list(call, page),
      toWire: (details) => importBody(details, call.version),
    }),
};
