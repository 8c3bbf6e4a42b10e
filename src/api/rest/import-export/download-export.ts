// GET /bulk/exports/{id}/files: downloads a file of a completed export.
import { MANIFEST_NAME } from '../../../domain/imports/import-layout.ts';
import { Type } from '../../schema/type.ts';
import { queryString } from '../records/request-fields.ts';
import type { BulkEndpoint } from './bulk-endpoint.ts';
import { ExportPath } from './export-wire.ts';

const MANIFEST = Type.Object(
  {},
  {
    additionalProperties: true,
    description: 'The manifest: files with their counts and checksums.',
    examples: [{ namespaces: [{ name: 'films', records: 1200 }] }],
  },
);

export const downloadExport: BulkEndpoint = {
  id: 'download_bulk_export',
  method: 'GET',
  path: '/bulk/exports/{id}/files',
  tag: 'Bulk exports',
  summary: 'Download a file of an export',
  description: "Files of exports in the server's own storage are kept for seven days.",
  since: '2024-10',
  permission: 'data_plane::vectors::read',
  errors: 'both',
  params: ExportPath,
  query: Type.Object({
    path: Type.Optional(Type.String({ description: 'The path in the manifest.', default: MANIFEST_NAME })),
  }),
  success: {
    status: 200,
    description: 'The bytes of the file; for the manifest, its JSON.',
    schema: Type.String({ format: 'binary' }),
    mediaType: 'application/octet-stream',
    alternatives: { 'application/json': MANIFEST },
  },
  faults: ['export-not-found', 'export-file-not-found'],
  handle: async (call) => {
    const path = queryString(call.query, 'path') ?? MANIFEST_NAME;
    const { bytes, content } = await call.services.exports.file(call, call.params.id ?? '', path);
    const type = path.endsWith('.json') ? 'application/json; charset=utf-8' : 'application/octet-stream';
    return { status: 200, headers: { 'content-type': type, 'content-length': String(bytes) }, content };
  },
};
