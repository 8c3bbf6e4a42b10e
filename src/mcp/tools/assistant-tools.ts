// The tools of assistants: which there are, the passages of their files, and their answers.
import { Type } from '../../api/schema/type.ts';
import { fitList } from '../fit-answer.ts';
import { LISTED_MAX } from '../limits.ts';
import { tool } from '../tool.ts';
import { AssistantName, Limit, PageToken } from './arguments.ts';
import {
  ANSWER_FIELDS,
  askAssistant,
  findPassages,
  given,
  PASSAGE_FIELDS,
  Question,
} from './ask-assistant.ts';
import { queryText } from './index-kind.ts';
import { listOf, nextPage } from './list-of.ts';

export const listAssistants = tool(
  {
    name: 'list_assistants',
    title: 'List assistants',
    description:
      'Lists the assistants of the project, the newest first, page by page. An assistant answers questions from its own files, with citations. Call it first when you do not know the name of an assistant.',
    effect: 'read',
    permission: 'control_plane::assistants::list',
    input: Type.Object({ limit: Limit, page: PageToken }, { additionalProperties: false }),
  },
  async ({ limit = LISTED_MAX, page }, ask) => {
    const query = queryText({ limit, pagination_token: page });
    const listed = await ask({ method: 'GET', path: `/assistant/assistants${query}` });
    const items = listOf(listed.assistants).map(({ name, status, instructions, metadata }) => ({
      name,
      status,
      ...given({ instructions, metadata }),
    }));
    return fitList('assistants', { items, next: nextPage(listed), advice: 'Ask for fewer with limit.' });
  },
);

export const describeAssistant = tool(
  {
    name: 'describe_assistant',
    title: 'Describe an assistant',
    description: `Tells the instructions of an assistant and lists its newest ${LISTED_MAX} files with their metadata.`,
    effect: 'read',
    permission: 'data_plane::assistant_files::read',
    input: Type.Object({ assistant: AssistantName }, { additionalProperties: false }),
  },
  async ({ assistant }, ask) => {
    const name = encodeURIComponent(assistant);
    const { status, instructions, metadata } = await ask({
      method: 'GET',
      path: `/assistant/assistants/${name}`,
    });
    const limit = queryText({ limit: LISTED_MAX });
    const { files } = await ask({ method: 'GET', path: `/assistant/files/${name}${limit}` });
    return fitList('files', {
      items: listOf(files).map((file) => ({
        name: file.name,
        id: file.id,
        status: file.status,
        ...given({ metadata: file.metadata }),
      })),
      rest: { name: assistant, status, ...given({ instructions, metadata }) },
      advice: 'The newest files are shown.',
    });
  },
);

export const assistantContext = tool(
  {
    name: 'assistant_context',
    title: "Find passages in an assistant's files",
    description:
      'Returns the passages of an assistant\'s files that fit a question best, with file and pages, for you to answer from: {"assistant": "handbook", "question": "How many days of leave are there?"}. Prefer it to assistant_chat when you write the answer yourself. Cite the files that you use.',
    effect: 'read',
    permission: 'data_plane::assistants::chat',
    input: Type.Object(
      { assistant: AssistantName, question: Question, ...PASSAGE_FIELDS },
      { additionalProperties: false },
    ),
  },
  ({ question, ...args }, ask) => findPassages({ ...args, query: question }, ask),
);

export const assistantChat = tool(
  {
    name: 'assistant_chat',
    title: 'Ask an assistant',
    description:
      'Has an assistant answer a question from its files: {"assistant": "handbook", "question": "How many days of leave are there?"}. The answer comes with citations: each names the files and pages for the text up to its position. Pass earlier turns in history when the question refers to them. It may take a minute.',
    effect: 'read',
    permission: 'data_plane::assistants::chat',
    input: Type.Object(
      { assistant: AssistantName, question: Question, ...ANSWER_FIELDS },
      { additionalProperties: false },
    ),
  },
  askAssistant,
);
