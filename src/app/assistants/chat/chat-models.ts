// The chat models that callers may name: those of the API, those of the settings, and those that the provider lists.
import {
  CHAT_MODEL_DEFAULT,
  CHAT_MODELS,
  type ChatModelNames,
  configuredModels,
  providerModel,
  unknownChatModel,
} from '../../../domain/assistants/chat-models.ts';
import type { LanguageModel } from '../../../domain/inference/language-model.ts';
import { EXTRACTIVE_MODEL } from './extractive/extractive-provider.ts';

export class ChatModels {
  readonly #languageModel: LanguageModel | null;
  readonly #names: ChatModelNames;

  constructor(languageModel: LanguageModel | null, names: ChatModelNames) {
    this.#languageModel = languageModel;
    this.#names = names;
  }

  /** Asks the provider only about names that neither the API nor the settings have. @throws invalid-chat-model */
  async resolve(requested: string = CHAT_MODEL_DEFAULT): Promise<string> {
    const known = [...CHAT_MODELS, ...configuredModels(this.#names)];
    if (known.includes(requested)) return requested;
    const listed = await this.#listed();
    if (listed.includes(requested)) return requested;
    throw unknownChatModel(requested, [...new Set([...known, ...listed])]);
  }

  /** The provider's name of a model that a language model answers for; null for the built-in answerer. */
  providerName(model: string): string | null {
    const name = providerModel(model, this.#names);
    return this.#languageModel === null || name === EXTRACTIVE_MODEL ? null : name;
  }

  /** Whether a language model answers for this name, with or without files. */
  async isAnswered(requested: string): Promise<boolean> {
    if (this.#languageModel === null || this.providerName(requested) === null) return false;
    const known = [...CHAT_MODELS, ...configuredModels(this.#names)];
    return known.includes(requested) || (await this.#listed()).includes(requested);
  }

  /** The names that a language model answers for, as far as settings and provider list them. */
  async list(): Promise<readonly string[]> {
    if (this.#languageModel === null) return [];
    const names = [...configuredModels(this.#names), ...(await this.#listed())];
    return [...new Set(names)].filter((name) => this.providerName(name) !== null);
  }

  async #listed(): Promise<readonly string[]> {
    return (await this.#languageModel?.models?.())?.map(({ name }) => name) ?? [];
  }
}
