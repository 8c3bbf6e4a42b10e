// GET /bulk/imports/{id}/errors: downloads the errors of an import as lines of JSON.
import { IMPORT_ERRORS_KEPT_MAX, type ImportError } from '../../../domain/imports/import-model.ts';
import { Type } from '../../schema/type.ts';
import type { BulkEndpoint } from './bulk-endpoint.ts';
import { ImportPath } from './import-wire.ts';

const LINE = '{"file":"films/0.parquet","row":12,"id":"movie-12","reason":"expected 3 values, got 4"}\n';

export const listImportErrors: BulkEndpoint = {
  id: 'list_bulk_import_errors',
  method: 'GET',
  path: '/bulk/imports/{id}/errors',
  tag: 'Bulk imports',
  summary: 'Download the errors of an import',
  description: `One JSON object a line: \`file\`, \`row\` (from 1; null for a whole file), \`id\`, \`reason\`. The first ${IMPORT_ERRORS_KEPT_MAX} are kept, and all of files.`,
  since: '2024-10',
  permission: 'data_plane::imports::read',
  errors: 'both',
  params: ImportPath,
  success: {
    status: 200,
    description: 'Lines of JSON.',
    schema: Type.String({ examples: [LINE] }),
    mediaType: 'application/x-ndjson',
  },
  faults: ['import-not-found'],
  handle: async (call) => ({
    status: 200,
    headers: { 'content-type': 'application/x-ndjson; charset=utf-8' },
    content: lines(await call.services.imports.errors(call, call.params.id ?? '')),
  }),
};

async function* lines(pages: AsyncIterable<readonly ImportError[]>): AsyncGenerator<string> {
  for await (const page of pages) {
    yield page.map(({ file, row, id, reason }) => `${JSON.stringify({ file, row, id, reason })}\n`).join('');
  }
}
