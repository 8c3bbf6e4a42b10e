// Schemas that chats, completions and context share.
import { UNSUPPORTED_MARK } from '../../../../app/assistants/chat/citations/mark-unsupported.ts';
import { CHAT_MODEL_DEFAULT, CHAT_MODELS } from '../../../../domain/assistants/chat-models.ts';
import {
  CONTEXT_TOP_K_DEFAULT,
  CONTEXT_TOP_K_MAX,
  HISTORY_TOKENS_MAX,
  SNIPPET_TOKENS_DEFAULT,
  SNIPPET_TOKENS_MAX,
  SNIPPET_TOKENS_MIN,
  TEMPERATURE_DEFAULT,
  TEMPERATURE_MAX,
} from '../../../../domain/assistants/limits.ts';
import { Type } from '../../../schema/type.ts';
import { choice } from '../../indexes/body-parts.ts';
import { FileObject } from '../files/file-wire.ts';
import { Regions } from '../files/region-wire.ts';

export const Messages = Type.Array(
  Type.Object({
    role: Type.Optional({ ...choice(['user', 'assistant', 'system']), default: 'user' }),
    content: Type.String({ minLength: 1 }),
  }),
  {
    minItems: 1,
    description: `Oldest first; at most ${HISTORY_TOKENS_MAX} tokens together.`,
    examples: [[{ role: 'user', content: 'Where does the heron stand?' }]],
  },
);

export const FileFilter = Type.Optional(
  Type.Object(
    {},
    {
      additionalProperties: true,
      description: 'A filter on the metadata of files, in the language of queries.',
    },
  ),
);

export const MarkUnsupported = Type.Optional(
  Type.Boolean({
    default: false,
    description: `Writes${UNSUPPORTED_MARK} behind each sentence of a language model that the snippets it cites do not support.`,
  }),
);

export const CompletionFields = {
  messages: Messages,
  stream: Type.Optional(Type.Boolean({ default: false })),
  model: Type.Optional(
    Type.String({
      default: CHAT_MODEL_DEFAULT,
      description: `One of ${CHAT_MODELS.join(', ')}, a name that the settings have, or a model of the language model's server.`,
      examples: [CHAT_MODEL_DEFAULT],
    }),
  ),
  temperature: Type.Optional(
    Type.Number({ minimum: 0, maximum: TEMPERATURE_MAX, default: TEMPERATURE_DEFAULT }),
  ),
  filter: FileFilter,
  mark_unsupported: MarkUnsupported,
};

export const ContextFields = {
  top_k: Type.Optional(
    Type.Integer({ minimum: 1, maximum: CONTEXT_TOP_K_MAX, default: CONTEXT_TOP_K_DEFAULT }),
  ),
  snippet_size: Type.Optional(
    Type.Integer({
      minimum: SNIPPET_TOKENS_MIN,
      maximum: SNIPPET_TOKENS_MAX,
      default: SNIPPET_TOKENS_DEFAULT,
      description: 'Tokens.',
    }),
  ),
  multimodal: Type.Optional(Type.Boolean({ default: true, description: 'Pictures of pages, too.' })),
  include_binary_content: Type.Optional(
    Type.Boolean({
      default: true,
      description: 'Pictures whole; else their captions. With multimodal only.',
    }),
  ),
};

export const Usage = Type.Object(
  {
    prompt_tokens: Type.Integer(),
    completion_tokens: Type.Integer(),
    total_tokens: Type.Integer(),
  },
  {
    title: 'TokenUsage',
    examples: [{ prompt_tokens: 240, completion_tokens: 12, total_tokens: 252 }],
  },
);

export const Pages = Type.Optional(Type.Array(Type.Integer(), { examples: [[3]] }));

export const FinishReasons = choice(['stop', 'length', 'content_filter', 'tool_calls', 'function_call']);

export const Citation = Type.Object(
  {
    position: Type.Integer({ description: 'In characters of the content.', examples: [30] }),
    references: Type.Array(
      Type.Object({
        file: FileObject,
        pages: Pages,
        highlight: Type.Union(
          [
            Type.Object({ type: Type.Literal('text'), content: Type.String(), regions: Regions }),
            Type.Null(),
          ],
          { description: 'The cited text. Null unless requested.', examples: [null] },
        ),
      }),
    ),
  },
  { title: 'Citation' },
);

export const AssistantMessage = Type.Object(
  { role: Type.Literal('assistant'), content: Type.String() },
  {
    title: 'AssistantMessage',
    examples: [{ role: 'assistant', content: 'The heron stands in the water.' }],
  },
);

/** An answer in parts. */
export const EventStream = Type.String({
  description: 'Server-sent events, each with one JSON object; with `stream` only.',
  examples: [
    'data: {"type":"content_chunk","id":"5f0c","model":"gpt-4o","delta":{"content":"The heron "}}\n\n',
  ],
});

export const ReplyId = Type.String({ examples: ['5f0c7a1b2c3d4e5f60718293a4b5c6d7'] });
export const ModelName = Type.String({
  description: 'Names the requested model and what stands behind it.',
  examples: ['gpt-4o'],
});
