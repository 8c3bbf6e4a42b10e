// The schemas of the OpenAI form of chats.
import {
  HISTORY_TOKENS_MAX,
  TEMPERATURE_DEFAULT,
  TEMPERATURE_MAX,
} from '../../../../domain/assistants/limits.ts';
import { Type } from '../../../schema/type.ts';
import { choice } from '../../indexes/body-parts.ts';
import { OPENAI_ROLES } from './read-messages.ts';
import { ANSWER_TOKENS_MAX, TOOLS_MAX } from './read-model-options.ts';
import {
  CompletionFields,
  FileFilter,
  FinishReasons,
  MarkUnsupported,
  ModelName,
  ReplyId,
  Usage,
} from './schemas.ts';

const ANY = { additionalProperties: true } as const;

const ToolCall = Type.Object(
  {
    id: Type.String({ examples: ['call_1'] }),
    type: Type.Literal('function'),
    function: Type.Object({
      name: Type.String({ examples: ['look_up'] }),
      arguments: Type.String({ description: 'JSON.', examples: ['{"name":"heron"}'] }),
    }),
  },
  { title: 'ToolCall' },
);

const Part = Type.Union([
  Type.Object({ type: Type.Literal('text'), text: Type.String() }),
  Type.Object({ type: Type.Literal('refusal'), refusal: Type.String() }),
  Type.Object({
    type: Type.Literal('image_url'),
    image_url: Type.Object({
      url: Type.String({ description: 'A data: or https:// address, for models that read pictures.' }),
    }),
  }),
]);

const Messages = Type.Array(
  Type.Object({
    role: Type.Optional({ ...choice([...OPENAI_ROLES]), default: 'user' }),
    content: Type.Optional(Type.Union([Type.String(), Type.Array(Part), Type.Null()])),
    refusal: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description: 'Of an assistant: what it has said in place of a content.',
      }),
    ),
    tool_calls: Type.Optional(Type.Array(ToolCall)),
    tool_call_id: Type.Optional(Type.String()),
  }),
  {
    minItems: 1,
    description: `Oldest first; at most ${HISTORY_TOKENS_MAX} tokens together.`,
    examples: [[{ role: 'user', content: 'Where does the heron stand?' }]],
  },
);

const tokens = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: ANSWER_TOKENS_MAX, description }));

const OptionFields = {
  max_tokens: tokens('Bounds the answer.'),
  max_completion_tokens: tokens('The newer name of max_tokens.'),
  response_format: Type.Optional(
    Type.Object(
      {
        type: choice(['text', 'json_object', 'json_schema']),
        json_schema: Type.Optional(Type.Object({}, ANY)),
      },
      { description: 'json_schema needs a language model.', examples: [{ type: 'text' }] },
    ),
  ),
  tools: Type.Optional(
    Type.Array(
      Type.Object({
        type: Type.Literal('function'),
        function: Type.Object({ name: Type.String() }, ANY),
      }),
      { maxItems: TOOLS_MAX, description: 'Passed on to the language model; refused without one.' },
    ),
  ),
  tool_choice: Type.Optional(Type.Union([Type.String(), Type.Object({}, ANY)])),
  parallel_tool_calls: Type.Optional(Type.Boolean()),
  stream_options: Type.Optional(
    Type.Object({ include_usage: Type.Optional(Type.Boolean()) }, { description: 'With stream only.' }),
  ),
};

export const CompletionBody = Type.Object({ ...CompletionFields, messages: Messages, ...OptionFields });

/** The model decides what the answer comes from. */
export const OpenAiCompletionBody = Type.Object({
  model: Type.String({
    description:
      'assistant/NAME or the name of an assistant for answers from its files; else a language model.',
    examples: ['assistant/helper'],
  }),
  messages: Messages,
  stream: Type.Optional(Type.Boolean({ default: false })),
  temperature: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: TEMPERATURE_MAX,
      description: `Default: ${TEMPERATURE_DEFAULT} for assistants, else that of the model.`,
    }),
  ),
  filter: FileFilter,
  mark_unsupported: MarkUnsupported,
  ...OptionFields,
});

export const Completion = Type.Object(
  {
    id: ReplyId,
    object: Type.Literal('chat.completion'),
    created: Type.Integer({ description: 'Seconds since 1970.', examples: [1_767_225_600] }),
    model: ModelName,
    system_fingerprint: Type.String({ examples: ['fp_0a1b2c3d4e'] }),
    choices: Type.Array(
      Type.Object({
        index: Type.Integer({ examples: [0] }),
        message: Type.Object({
          role: Type.Literal('assistant'),
          content: Type.Union([Type.String(), Type.Null()], {
            examples: ['The heron stands in the water. [1]'],
          }),
          refusal: Type.Union([Type.String(), Type.Null()], { examples: [null] }),
          tool_calls: Type.Optional(Type.Array(ToolCall)),
        }),
        finish_reason: FinishReasons,
        logprobs: Type.Null(),
      }),
    ),
    usage: Usage,
  },
  { title: 'Completion' },
);

/** An answer in parts. */
export const EventStream = Type.String({
  description: 'Server-sent events, each with one JSON object; with `stream` only.',
  examples: [
    'data: {"id":"5f0c","object":"chat.completion.chunk","created":1767225600,"model":"gpt-4o","system_fingerprint":"fp_0a1b2c3d4e","choices":[{"index":0,"delta":{"content":"The heron "},"finish_reason":null,"logprobs":null}]}\n\n',
  ],
});
