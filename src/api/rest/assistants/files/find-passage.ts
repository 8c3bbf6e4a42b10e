// POST /assistant/files/{assistant_name}/{assistant_file_id}/passage: the page of a file that a passage is on.
import { type FoundPassage, PASSAGE_CHARS_MAX } from '../../../../domain/assistants/passages.ts';
import { invalid } from '../../../../domain/faults.ts';
import type { Reply } from '../../../endpoint.ts';
import { Type } from '../../../schema/type.ts';
import { deserialize } from '../../indexes/deserialize.ts';
import type { AssistantCall, JsonEndpoint } from '../assistant-endpoint.ts';
import { FileParams } from './file-wire.ts';
import { RECTANGLE, Regions } from './region-wire.ts';

const Body = Type.Object(
  { passage: Type.String({ minLength: 1, maxLength: PASSAGE_CHARS_MAX }) },
  { title: 'FindPassageRequest', examples: [{ passage: 'The heron stands' }] },
);

async function handle(call: AssistantCall): Promise<Reply> {
  const { access, params, services, signal } = call;
  const assistant = await services.assistants.ready(access, params.assistant_name ?? '', signal);
  const file = await services.files.describe(assistant, params.assistant_file_id ?? '');
  const { passage: text } = deserialize(Body, call);
  if (text.trim() === '' || text.length > PASSAGE_CHARS_MAX)
    throw invalid(`passage must have 1 to ${PASSAGE_CHARS_MAX} characters, not only white space`);
  const found = await services.passages.find(assistant, file, { text, signal });
  return { status: 200, body: { found: found === null ? null : foundToWire(found) } };
}

function foundToWire({ page, text, start, end, regions, layouts }: FoundPassage): object {
  return { page, text, start, end, regions, layouts };
}

const Found = Type.Object({
  page: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
    description: 'The page on which the passage begins; null in files without pages.',
    examples: [2],
  }),
  text: Type.String({
    description: 'The page or pages; of files without pages, the text around the passage.',
    examples: ['The heron stands in the water.'],
  }),
  start: Type.Integer({
    minimum: 0,
    description: 'Where the passage begins in `text`, in UTF-16 code units.',
    examples: [0],
  }),
  end: Type.Integer({ minimum: 0, description: 'Where it ends.', examples: [16] }),
  regions: Regions,
  layouts: Type.Array(
    Type.Object({
      page: Type.Integer({ minimum: 1 }),
      width: Type.Number(),
      height: Type.Number(),
      texts: Type.Array(Type.Object({ text: Type.String(), ...RECTANGLE }), {
        description: 'The level pieces of text, in drawing order.',
      }),
    }),
    {
      description: 'The pages that the passage is on, in points; of PDF files.',
      examples: [
        [
          {
            page: 2,
            width: 595,
            height: 842,
            texts: [{ text: 'The heron stands in the water.', x: 60, y: 54.2, width: 142.1, height: 11 }],
          },
        ],
      ],
    },
  ),
});

export const findPassage: JsonEndpoint = {
  kind: 'json',
  id: 'find_passage',
  method: 'POST',
  path: '/assistant/files/{assistant_name}/{assistant_file_id}/passage',
  tag: 'Assistant files',
  summary: 'Find a passage in a file',
  description:
    'Takes a text as it stands in the file, such as the highlight of a citation, and returns the page that it is on, of ' +
    'PDF files with the rectangles that it covers. An extension of this server.',
  since: '2025-01',
  permission: 'data_plane::assistant_files::read',
  errors: 'standard',
  params: FileParams,
  body: Body,
  success: {
    status: 200,
    description: 'The page; null if the file does not have the passage.',
    schema: Type.Object({ found: Type.Union([Found, Type.Null()]) }),
  },
  faults: [
    'invalid-argument',
    'body-not-json',
    'body-not-deserializable',
    'assistant-not-found',
    'assistant-file-not-found',
    'model-unavailable',
  ],
  handle,
};
