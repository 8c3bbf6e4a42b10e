// Opens the language model of the settings.
import { type EndpointOptions, ModelEndpoint } from './model-endpoint.ts';

const SECOND_MS = 1_000;

export interface LanguageModelSettings {
  /** The address without `/chat/completions`; null for no language model. */
  readonly chatUrl: string | null;
  readonly chatKey: string | null;
  readonly chatSeconds: number;
  readonly chatSilenceSeconds: number;
  readonly chatParallel: number;
  readonly chatQueueMax: number;
}

/** Opens one endpoint for all model names, since they share one address and its limits. */
export function openLanguageModel(
  settings: LanguageModelSettings,
  onProviderError: NonNullable<EndpointOptions['onProviderError']>,
): ModelEndpoint | null {
  if (settings.chatUrl === null) return null;
  return new ModelEndpoint({
    baseUrl: settings.chatUrl,
    apiKey: settings.chatKey,
    parallelMax: settings.chatParallel,
    waitingMax: settings.chatQueueMax,
    silenceMsMax: settings.chatSilenceSeconds * SECOND_MS,
    answerMsMax: settings.chatSeconds * SECOND_MS,
    onProviderError,
  });
}
