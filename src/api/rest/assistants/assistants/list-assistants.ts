// GET /assistant/assistants: lists the assistants of the key's project.
import { Type } from '../../../schema/type.ts';
import type { JsonEndpoint } from '../assistant-endpoint.ts';
import { answerPage, pageOf, pageQuery } from '../assistant-pages.ts';
import { AssistantObject, assistantToWire } from './assistant-wire.ts';

const LIMIT_DEFAULT = 50;
const PAGES_SINCE = '2026-04';

export const listAssistants: JsonEndpoint = {
  kind: 'json',
  id: 'list_assistants',
  method: 'GET',
  path: '/assistant/assistants',
  tag: 'Assistants',
  summary: 'List assistants',
  description: `Newest first, ${LIMIT_DEFAULT} a page; before ${PAGES_SINCE} all of them.`,
  since: '2025-01',
  permission: 'control_plane::assistants::list',
  errors: 'standard',
  query: Type.Object(pageQuery(LIMIT_DEFAULT, PAGES_SINCE)),
  success: {
    status: 200,
    description: 'A page of assistants.',
    schema: pageOf('assistants', AssistantObject, PAGES_SINCE),
  },
  faults: ['invalid-argument'],
  handle: (call) =>
    answerPage(call, {
      name: 'assistants',
      limitDefault: LIMIT_DEFAULT,
      wholeBefore202604: true,
      boundTo: [listAssistants.id],
      list: (page) => call.services.assistants.list(call.access, page),
      toWire: (assistant) => assistantToWire(assistant, call.services.host()),
    }),
};
