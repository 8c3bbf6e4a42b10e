// What the tools of assistants share: the arguments of a question, and the requests for passages and for an answer.
import { type Static, Type } from '../../api/schema/type.ts';
import { CONTEXT_TOP_K_DEFAULT, CONTEXT_TOP_K_MAX } from '../../domain/assistants/limits.ts';
import { type JsonObject, membersOf } from '../../domain/json.ts';
import { fitList } from '../fit-answer.ts';
import type { Ask } from '../tool.ts';
import { AnyObject } from './arguments.ts';
import { listOf } from './list-of.ts';

export const Question = Type.String({
  minLength: 1,
  description: 'A whole question or description, not single words.',
});

const FileFilter = Type.Optional(
  AnyObject('Only files whose metadata matches, for example {"year": {"$gte": 2020}}.'),
);

/** The optional arguments of a search for passages. */
export const PASSAGE_FIELDS = {
  top_k: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: CONTEXT_TOP_K_MAX,
      description: `Number of passages; default ${CONTEXT_TOP_K_DEFAULT}.`,
    }),
  ),
  filter: FileFilter,
};

/** The optional arguments of a question that the assistant answers itself. */
export const ANSWER_FIELDS = {
  history: Type.Optional(
    Type.Array(
      Type.Object(
        { role: Type.String({ enum: ['user', 'assistant'] }), content: Type.String({ minLength: 1 }) },
        { additionalProperties: false },
      ),
      { description: 'Earlier turns of this conversation, oldest first.' },
    ),
  ),
  filter: FileFilter,
};

const PassageFields = Type.Object(PASSAGE_FIELDS);
const AnswerFields = Type.Object(ANSWER_FIELDS);

type PassageQuestion = Static<typeof PassageFields> & { readonly assistant: string; readonly query: string };
type AnswerQuestion = Static<typeof AnswerFields> & { readonly assistant: string; readonly question: string };

/** The passages of the assistant's files that fit a query best. @throws ToolError */
export async function findPassages(
  { assistant, query, top_k, filter }: PassageQuestion,
  ask: Ask,
): Promise<JsonObject> {
  const { snippets } = await ask({
    method: 'POST',
    path: `/assistant/chat/${encodeURIComponent(assistant)}/context`,
    body: { query, top_k, filter, multimodal: false },
  });
  const items = listOf(snippets).map(({ content, score, reference }) => ({
    text: content,
    score,
    ...referenceOf(membersOf(reference)),
  }));
  return fitList('passages', { items, advice: 'Ask for fewer with top_k.' });
}

/** The assistant's own answer, with citations. @throws ToolError */
export async function askAssistant(
  { assistant, question, history = [], filter }: AnswerQuestion,
  ask: Ask,
): Promise<JsonObject> {
  const { message, citations, finish_reason } = await ask({
    method: 'POST',
    path: `/assistant/chat/${encodeURIComponent(assistant)}`,
    body: { messages: [...history, { role: 'user', content: question }], filter },
  });
  const items = listOf(citations).map(({ position, references }) => ({
    position,
    references: listOf(references).map(referenceOf),
  }));
  const rest = { answer: membersOf(message).content, finish_reason };
  return fitList('citations', { items, rest, advice: 'The rest of the answer has citations, too.' });
}

/** The file of a passage and its pages, if it has any. */
function referenceOf({ file, pages }: JsonObject): JsonObject {
  return { file: membersOf(file).name, ...given({ pages }) };
}

/** Without members that say nothing. */
export function given(members: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== null && value !== undefined && value !== ''),
  );
}
