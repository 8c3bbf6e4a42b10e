// POST /chat/{assistant_name}/context: returns the snippets of files that an answer would use.

import type { Reply } from '../../../endpoint.ts';
import { Type } from '../../../schema/type.ts';
import { choice } from '../../indexes/body-parts.ts';
import type { AssistantCall, AssistantEndpoint } from '../assistant-endpoint.ts';
import { AssistantParams } from '../assistants/assistant-wire.ts';
import { FileObject, fileToWire } from '../files/file-wire.ts';
import { readContext } from './read-chat-request.ts';
import { ContextFields, FileFilter, Messages, Pages, ReplyId, Usage } from './schemas.ts';
import { usageOf } from './shapes/chat.ts';
import { contextBody, snippetShape } from './shapes/context.ts';

async function handle(call: AssistantCall): Promise<Reply> {
  const { access, params, services, signal, hold } = call;
  const question = readContext(call);
  const assistant = await services.assistants.ready(access, params.assistant_name ?? '', signal);
  const { id, snippets, tokens } = await services.chat.context(assistant, question);
  const shown = snippets.map((snippet) =>
    snippetShape({ ...snippet, file: fileToWire(snippet.file) }, { binary: question.pictures === 'whole' }),
  );
  const usage = usageOf({ promptTokens: tokens, completionTokens: 0 });
  const jsonText = JSON.stringify(contextBody(id, shown, usage));
  // With pictures it may have many megabytes.
  hold(jsonText.length);
  return { status: 200, jsonText };
}

const Block = Type.Union([
  Type.Object({ type: Type.Literal('text'), text: Type.String() }),
  Type.Object({
    type: Type.Literal('image'),
    caption: Type.String(),
    image: Type.Union([
      Type.Object({ type: Type.Literal('base64'), mime_type: Type.String(), data: Type.String() }),
      Type.Null(),
    ]),
  }),
]);

const Snippet = Type.Object(
  {
    type: choice(['text', 'multimodal']),
    content: Type.Union([Type.String(), Type.Array(Block)], {
      description: 'A text; of multimodal snippets a list of texts and images.',
      examples: ['The heron stands in the water.'],
    }),
    score: Type.Number({ description: 'Higher is better.', examples: [0.82] }),
    reference: Type.Object({
      type: choice(['text', 'json', 'markdown', 'pdf', 'doc_x']),
      file: FileObject,
      pages: Pages,
    }),
  },
  { title: 'Snippet' },
);

export const retrieveContext: AssistantEndpoint = {
  kind: 'json',
  id: 'context_assistant',
  method: 'POST',
  path: '/assistant/chat/{assistant_name}/context',
  tag: 'Chat',
  summary: 'Retrieve context',
  description: 'Takes a query or messages, not both.',
  since: '2025-01',
  permission: 'data_plane::assistants::chat',
  errors: 'standard',
  params: AssistantParams,
  body: Type.Object(
    {
      query: Type.Optional(Type.String()),
      messages: Type.Optional(Messages),
      filter: FileFilter,
      ...ContextFields,
    },
    { title: 'ContextRequest', examples: [{ query: 'Where does the heron stand?', top_k: 5 }] },
  ),
  success: {
    status: 200,
    description: 'Snippets, best first.',
    schema: Type.Object({ id: ReplyId, snippets: Type.Array(Snippet), usage: Usage }),
  },
  faults: [
    'invalid-argument',
    'bad-filter',
    'assistant-not-found',
    'assistant-models-changed',
    'model-unavailable',
  ],
  handle,
};
