// GET /bulk/exports: lists the exports of an index, newest first, in pages.
import { FINISHED_JOBS_MAX } from '../../../domain/jobs.ts';
import type { BulkEndpoint } from './bulk-endpoint.ts';
import { BULK_PAGE_QUERY, bulkPage, bulkPageReply } from './bulk-page.ts';
import { ExportObject, exportBody } from './export-wire.ts';

export const listExports: BulkEndpoint = {
  id: 'list_bulk_exports',
  method: 'GET',
  path: '/bulk/exports',
  tag: 'Bulk exports',
  summary: 'List exports',
  description: `Newest first. Of exports that have ended, the newest ${FINISHED_JOBS_MAX.toLocaleString('en')} of a project are kept.`,
  since: '2024-10',
  permission: 'data_plane::imports::read',
  errors: 'both',
  query: BULK_PAGE_QUERY,
  success: { status: 200, description: 'A page of exports.', schema: bulkPage(ExportObject) },
  faults: ['invalid-argument'],
  handle: (call) =>
    bulkPageReply(call, {
      operation: 'list_bulk_exports',
      list: (page) => call.services.exports.list(call, page),
      toWire: exportBody,
    }),
};
