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

/** Stands for all names that a map of names does not have. */
const REST = '*';

/** The provider's name of a model for each requested name, or for all others under `*`. */
export type ChatModelNames = Readonly<Record<string, string>>;

const SUCCESSORS: Readonly<Record<string, string>> = {
  'claude-3-5-sonnet': 'claude-sonnet-4-5',
  'claude-3-7-sonnet': 'claude-sonnet-4-5',
};

/** Returns the names that a setting adds to those of the API: requested ones, and the provider's own. */
export function configuredModels(names: ChatModelNames): readonly string[] {
  const all = new Set([...Object.keys(names), ...Object.values(names)]);
  return [...all].filter((name) => name !== REST);
}

/** The fault of a request for a model that does not exist. */
export function unknownChatModel(model: string, offered: readonly string[]) {
  return fault('invalid-chat-model', { model: model.slice(0, 100), supported: offered.join(', ') });
}

/** Returns the name by which a provider knows a model. The provider's own names stand for themselves. */
export function providerModel(requested: string, names: ChatModelNames): string {
  const current = SUCCESSORS[requested] ?? requested;
  const named = names[requested] ?? names[current];
  if (named !== undefined) return named;
  const isOwn = Object.values(names).includes(requested) || !isApiModel(requested);
  return isOwn ? requested : (names[REST] ?? current);
}

function isApiModel(name: string): boolean {
  return CHAT_MODELS.some((each) => each === name);
}

/** Reasoning models refuse every temperature except their own. */
const WITHOUT_TEMPERATURE = /^(?:[^/]*\/)*(?:o\d|gpt-5)/;

/** @param model the provider's name of it */
export function takesTemperature(model: string): boolean {
  return !WITHOUT_TEMPERATURE.test(model);
}

/** Returns the model that an answer names: the requested name, and what really answered. */
export function shownModel(requested: string, answeredBy: string): string {
  return answeredBy.includes(requested) ? answeredBy : `${requested}/${answeredBy}`;
}
