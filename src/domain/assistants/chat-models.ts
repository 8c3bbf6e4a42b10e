// The names that chats may ask for, and which of them stands in for one that is retired.
import { fault } from '../faults.ts';

export const CHAT_MODEL_DEFAULT = 'gpt-4o';

/** Every name of every version: which of them exist is the provider's to know, not the version's. */
export const CHAT_MODELS = [
  CHAT_MODEL_DEFAULT,
  'gpt-4.1',
  'gpt-5',
  'o4-mini',
  'claude-sonnet-4-5',
  'claude-3-7-sonnet',
  'claude-3-5-sonnet',
  'gemini-2.5-pro',
] as const;
export type ChatModel = (typeof CHAT_MODELS)[number];

const SUCCESSORS: Readonly<Partial<Record<ChatModel, ChatModel>>> = {
  'claude-3-5-sonnet': 'claude-sonnet-4-5',
  'claude-3-7-sonnet': 'claude-sonnet-4-5',
};

/** @throws invalid-chat-model */
export function readChatModel(name: string | null | undefined): ChatModel {
  const requested = name ?? CHAT_MODEL_DEFAULT;
  const found = CHAT_MODELS.find((each) => each === requested);
  if (found === undefined) {
    throw fault('invalid-chat-model', { model: requested.slice(0, 100), supported: CHAT_MODELS.join(', ') });
  }
  return found;
}

/**
 * The name by which a provider knows a model.
 * @param names what the owner of the server gave: a name asked for, or `*` for all others
 */
export function providerModel(asked: ChatModel, names: Readonly<Record<string, string>>): string {
  const current = SUCCESSORS[asked] ?? asked;
  return names[asked] ?? names[current] ?? names['*'] ?? current;
}

/** Models that reason refuse any temperature but their own. */
const WITHOUT_TEMPERATURE = /^(?:[^/]*\/)*(?:o\d|gpt-5)/;

/** @param model as the provider knows it */
export function takesTemperature(model: string): boolean {
  return !WITHOUT_TEMPERATURE.test(model);
}

/** What an answer says it is from: the name that was asked for, and what stood behind it. */
export function shownModel(asked: ChatModel, answeredBy: string): string {
  return answeredBy.includes(asked) ? answeredBy : `${asked}/${answeredBy}`;
}
