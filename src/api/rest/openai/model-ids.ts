// The models of the server under the ids of the OpenAI form.
import type { Page, PageQuery } from '../../../domain/administration/pages.ts';
import type { Assistant } from '../../../domain/assistants/assistant.ts';
import { Fault } from '../../../domain/faults.ts';
import { Type } from '../../schema/type.ts';
import type { OpenAiCall } from './openai-endpoint.ts';

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

type Call = Pick<OpenAiCall, 'access' | 'may' | 'services'>;

/** Returns assistants if the caller may list them, then language models, then embedding models. */
export async function openAiModels(call: Call): Promise<readonly OpenAiModelBody[]> {
  const own = call.may('control_plane::assistants::list') ? await assistantsOf(call) : [];
  return [...own.map(assistantBody), ...(await sharedModels(call))];
}

/** Assistants are found by their names by callers who may describe them. Null when there is none. */
export async function openAiModel(call: Call, id: string): Promise<OpenAiModelBody | null> {
  if (!id.startsWith(ASSISTANT_PREFIX))
    return (await sharedModels(call)).find((model) => model.id === id) ?? null;
  const { access, may, services } = call;
  if (!may('control_plane::assistants::describe')) return null;
  const found = await orMissing(services.assistants.describe(access, id.slice(ASSISTANT_PREFIX.length)));
  return found === null ? null : assistantBody(found);
}

/** Those of all projects. */
async function sharedModels({ services }: Call): Promise<readonly OpenAiModelBody[]> {
  const { chat, inference } = services;
  const dense = inference.models().filter((model) => model.kind === 'embed' && model.vectorType === 'dense');
  return [
    ...(await chat.models()).map((name) => modelBody(name, 'language-model')),
    ...dense.map(({ name, providerName }) => modelBody(name, providerName)),
  ];
}

/** Null for an assistant that does not exist. */
export async function orMissing<Found>(found: Promise<Found>): Promise<Found | null> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof Fault && error.condition === 'assistant-not-found') return null;
    throw error;
  }
}

async function assistantsOf({ access, services: { assistants } }: Call): Promise<readonly Assistant[]> {
  const found: Assistant[] = [];
  let after: PageQuery['after'] = null;
  do {
    const page: Page<Assistant> = await assistants.list(access, { limit: PAGE_MAX, after });
    found.push(...page.items);
    after = page.next;
  } while (after !== null && found.length < ASSISTANTS_MAX);
  return found;
}

function assistantBody({ name, createdAt }: Assistant): OpenAiModelBody {
  return modelBody(`${ASSISTANT_PREFIX}${name}`, 'assistant', Math.floor(Date.parse(createdAt) / SECOND_MS));
}

function modelBody(id: string, ownedBy: string, created = 0): OpenAiModelBody {
  return { id, object: 'model', created, owned_by: ownedBy };
}
