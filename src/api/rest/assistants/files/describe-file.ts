// GET /assistant/files/{assistant_name}/{assistant_file_id}: describes a file, with a link to its bytes on request.

import { Type } from '../../../schema/type.ts';
import { queryBoolean } from '../../records/request-fields.ts';
import type { JsonEndpoint } from '../assistant-endpoint.ts';
import { FileObject, FileParams, fileToWire } from './file-wire.ts';

export const describeFile: JsonEndpoint = {
  kind: 'json',
  id: 'describe_file',
  method: 'GET',
  path: '/assistant/files/{assistant_name}/{assistant_file_id}',
  tag: 'Assistant files',
  summary: 'Describe a file',
  since: '2025-01',
  permission: 'data_plane::assistant_files::read',
  errors: 'standard',
  params: FileParams,
  query: Type.Object({
    include_url: Type.Optional(Type.Boolean({ default: false, description: 'Asks for `signed_url`.' })),
  }),
  success: { status: 200, description: 'The file.', schema: FileObject },
  faults: ['invalid-argument', 'assistant-not-found', 'assistant-file-not-found'],
  handle: async ({ access, params, query, services, signal }) => {
    const wantsUrl = queryBoolean(query, 'include_url');
    const assistant = await services.assistants.ready(access, params.assistant_name ?? '', signal);
    const file = await services.files.describe(assistant, params.assistant_file_id ?? '');
    return { status: 200, body: fileToWire(file, wantsUrl ? services.links.urlOf(file) : null) };
  },
};
