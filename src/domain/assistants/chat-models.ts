// The model names that chats may request, and the successors of retired ones.
import { fault } from '../faults.ts';

export const CHAT_MODEL_DEFAULT = 'gpt-4o';

/** All names of all API versions: the provider, not the version, decides which exist. */
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
 * Returns the name by which a provider knows a model.
 * @param names the server's setting: the provider's name for each requested name, or for all others under `*`
 */
export function providerModel(requested: ChatModel, names: Readonly<Record<string, string>>): string {
  const current = SUCCESSORS[requested] ?? requested;
  return names[requested] ?? names[current] ?? names['*'] ?? current;
}

/** Reasoning models refuse every temperature except their own. */
const WITHOUT_TEMPERATURE = /^(?:[^/]*\/)*(?:o\d|gpt-5)/;

/** @param model the provider's name of it */
export function takesTemperature(model: string): boolean {
  return !WITHOUT_TEMPERATURE.test(model);
}

/** Returns the model that an answer names: the requested name, and what really answered. */
export function shownModel(requested: ChatModel, answeredBy: string): string {
  return answeredBy.includes(requested) ? answeredBy : `${requested}/${answeredBy}`;
}
