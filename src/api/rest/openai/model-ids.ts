// The models of the server under the ids of the OpenAI form.
import type { ProjectAccess } from '../../../domain/access.ts';
import type { Assistant } from '../../../domain/assistants/assistant.ts';
import { Type } from '../../schema/type.ts';
import type { OpenAiServices } from './openai-endpoint.ts';

/** Names of assistants have no slash, so their ids never hide another model. */
export const ASSISTANT_PREFIX = 'assistant/';
/** Assistants in a list of models; clients of OpenAI do not page through it. */
const ASSISTANTS_MAX = 1_000;
const PAGE_MAX = 100;
const SECOND_MS = 1_000;

export const OpenAiModel = Type.Object(
  {
    id: Type.String({ examples: ['assistant/helper'] }),
    object: Type.Literal('model'),
    created: Type.Integer({ description: 'Seconds since 1970; 0 where unknown.', examples: [1_767_225_600] }),
    owned_by: Type.String({ description: 'Who answers.', examples: ['assistant'] }),
  },
  { title: 'OpenAiModel' },
);

export interface OpenAiModelBody {
  readonly id: string;
  readonly object: 'model';
  readonly created: number;
  readonly owned_by: string;
}

/** Returns assistants, then language models, then embedding models. */
export async function openAiModels(
  access: ProjectAccess,
  { assistants, chat, inference }: Pick<OpenAiServices, 'assistants' | 'chat' | 'inference'>,
): Promise<readonly OpenAiModelBody[]> {
  const [own, language] = await Promise.all([assistantsOf(access, assistants), chat.models()]);
  const dense = inference.models().filter((model) => model.kind === 'embed' && model.vectorType === 'dense');
  return [
    ...own.map(({ name, createdAt }) =>
      modelBody(`${ASSISTANT_PREFIX}${name}`, 'assistant', Math.floor(Date.parse(createdAt) / SECOND_MS)),
    ),
    ...language.map((name) => modelBody(name, 'language-model')),
    ...dense.map(({ name, providerName }) => modelBody(name, providerName)),
  ];
}

async function assistantsOf(
  access: ProjectAccess,
  assistants: OpenAiServices['assistants'],
): Promise<readonly Assistant[]> {
  const found: Assistant[] = [];
  let after: Awaited<ReturnType<typeof assistants.list>>['next'] = null;
  do {
    const page = await assistants.list(access, { limit: PAGE_MAX, after });
    found.push(...page.items);
    after = page.next;
  } while (after !== null && found.length < ASSISTANTS_MAX);
  return found;
}

function modelBody(id: string, ownedBy: string, created = 0): OpenAiModelBody {
  return { id, object: 'model', created, owned_by: ownedBy };
}
