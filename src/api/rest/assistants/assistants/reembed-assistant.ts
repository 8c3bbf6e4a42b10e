// POST and GET /assistant/assistants/{assistant_name}/reembed: re-embeds an assistant's files, and reports the progress.
import type { AssistantReembedding } from '../../../../domain/assistants/reembedding.ts';
import { Type } from '../../../schema/type.ts';
import type { JsonEndpoint } from '../assistant-endpoint.ts';
import { AssistantParams } from './assistant-wire.ts';

const STATES = ['Pending', 'Running', 'Undoing', 'Completed', 'Failed', 'Cancelled'];

const ReembeddingObject = Type.Object(
  {
    assistant_name: Type.String(),
    state: Type.String({ enum: STATES }),
    percent_complete: Type.Number({ minimum: 0, maximum: 100 }),
    files_remade: Type.Integer({ description: 'Which answer again.' }),
    files_failed: Type.Integer({
      description: 'Which say why they could not be embedded again, and keep their bytes.',
    }),
    error: Type.Optional(Type.String({ description: 'Why it failed, or is tried again.' })),
    created_at: Type.String({ format: 'date-time' }),
    finished_at: Type.Optional(Type.String({ format: 'date-time' })),
  },
  {
    title: 'AssistantReembedding',
    examples: [
      {
        assistant_name: 'helper',
        state: 'Running',
        percent_complete: 40,
        files_remade: 4,
        files_failed: 0,
        created_at: '2026-07-01T09:30:00.000Z',
      },
    ],
  },
);

function toWire(name: string, { state, percent, remade, failed, error, ...times }: AssistantReembedding) {
  return {
    assistant_name: name,
    state,
    percent_complete: percent,
    files_remade: remade,
    files_failed: failed,
    ...(error === null ? {} : { error }),
    created_at: times.createdAt,
    ...(times.finishedAt === null ? {} : { finished_at: times.finishedAt }),
  };
}

const common = {
  kind: 'json',
  path: '/assistant/assistants/{assistant_name}/reembed',
  tag: 'Assistants',
  since: '2026-07',
  errors: 'standard',
  params: AssistantParams,
} as const satisfies Partial<JsonEndpoint>;

export const reembedAssistant: JsonEndpoint = {
  ...common,
  id: 'reembed_assistant',
  method: 'POST',
  summary: "Embed an assistant's files anew",
  description:
    'For an assistant whose models are served by another provider or revision than the one its files were embedded by. ' +
    'Files are Processing until they are made anew from their stored bytes, and answer one after the other. Goes on ' +
    'after the answer, and after a restart; asked for again meanwhile, it answers with what is under way. An endpoint of ' +
    'this server, not of the public service.',
  permission: 'control_plane::assistants::configure',
  success: { status: 202, description: 'Under way, or as it already was.', schema: ReembeddingObject },
  faults: ['assistant-not-found'],
  handle: async ({ access, params, services }) => {
    const name = params.assistant_name ?? '';
    return { status: 202, body: toWire(name, await services.reembeddings.start(access, name)) };
  },
};

export const describeAssistantReembedding: JsonEndpoint = {
  ...common,
  id: 'describe_assistant_reembedding',
  method: 'GET',
  summary: 'Describe the latest re-embedding of an assistant',
  permission: 'control_plane::assistants::describe',
  success: { status: 200, description: 'How far it is.', schema: ReembeddingObject },
  faults: ['assistant-not-found', 'assistant-reembedding-not-found'],
  handle: async ({ access, params, services }) => {
    const name = params.assistant_name ?? '';
    return { status: 200, body: toWire(name, await services.reembeddings.latest(access, name)) };
  },
};
