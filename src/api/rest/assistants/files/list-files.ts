// GET /assistant/files/{assistant_name}: lists the files of an assistant, filtered by metadata on request.
import { Type } from '../../../schema/type.ts';
import type { JsonEndpoint } from '../assistant-endpoint.ts';
import { answerPage, pageOf, pageQuery } from '../assistant-pages.ts';
import { AssistantParams } from '../assistants/assistant-wire.ts';
import { FileObject, fileToWire } from './file-wire.ts';
import { readFilter } from './read-filter.ts';

const LIMIT_DEFAULT = 100;
const PAGES_SINCE = '2026-04';

export const listFiles: JsonEndpoint = {
  kind: 'json',
  id: 'list_files',
  method: 'GET',
  path: '/assistant/files/{assistant_name}',
  tag: 'Assistant files',
  summary: 'List files',
  description: `Newest first, ${LIMIT_DEFAULT} a page; before ${PAGES_SINCE} all of them.`,
  since: '2025-01',
  permission: 'data_plane::assistant_files::read',
  errors: 'standard',
  params: AssistantParams,
  query: Type.Object({
    filter: Type.Optional(
      Type.String({
        description: 'JSON text of a metadata filter, in the language of queries.',
        examples: ['{"year":{"$gte":2020}}'],
      }),
    ),
    ...pageQuery(LIMIT_DEFAULT, PAGES_SINCE),
  }),
  success: { status: 200, description: 'A page of files.', schema: pageOf('files', FileObject, PAGES_SINCE) },
  faults: ['invalid-argument', 'bad-filter', 'assistant-not-found'],
  handle: async (call) => {
    const { access, params, query, services, signal } = call;
    const { filter, text } = readFilter(query);
    const assistant = await services.assistants.ready(access, params.assistant_name ?? '', signal);
    return answerPage(call, {
      name: 'files',
      limitDefault: LIMIT_DEFAULT,
      wholeBefore202604: true,
      boundTo: [listFiles.id, assistant.id, text],
      list: (page) => services.files.list(assistant, filter, page),
      toWire: (file) => fileToWire(file),
    });
  },
};
