// DELETE /assistant/files/{assistant_name}/{assistant_file_id}: accepts the deletion, which continues after the response.
import { isAtLeast } from '../../../../domain/api-version.ts';
import type { JsonEndpoint } from '../assistant-endpoint.ts';
import { acceptedReply, acceptedSuccess } from '../operations/operation-wire.ts';
import { FileParams } from './file-wire.ts';

export const deleteFile: JsonEndpoint = {
  kind: 'json',
  id: 'delete_file',
  method: 'DELETE',
  path: '/assistant/files/{assistant_name}/{assistant_file_id}',
  tag: 'Assistant files',
  summary: 'Delete a file',
  description:
    'It answers no question from now on, and is Deleting until all of it is gone. One of which nothing is left, since it could not be processed, goes at once: its operation is Completed already.',
  since: '2025-01',
  permission: 'data_plane::assistant_files::write',
  errors: 'standard',
  params: FileParams,
  success: acceptedSuccess('The operation that removes the file.'),
  olderSuccess: { until: '2025-10', success: { status: 200, description: 'The deletion has begun.' } },
  faults: ['assistant-not-found', 'assistant-file-not-found'],
  handle: async ({ access, params, version, services, signal }) => {
    const { assistant_name: name = '', assistant_file_id: fileId = '' } = params;
    const assistant = await services.assistants.ready(access, name, signal);
    // Without an operation, clients look for the file.
    const isPolled = !isAtLeast(version, '2026-04');
    const operation = await services.files.remove(assistant, fileId, { isPolled });
    // Clients expect a body, even though none is specified: 202 also when the file is already gone.
    return isPolled ? { status: 200 } : acceptedReply(name, operation);
  },
};
