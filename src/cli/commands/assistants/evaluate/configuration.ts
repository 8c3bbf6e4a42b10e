// What an evaluation runs with: an assistant and the options of its questions; and the second one of a comparison.
import type { JsonObject } from '../../../../domain/json.ts';
import { misuse, type ParsedWords } from '../../../command.ts';
import { jsonOption, pairs } from '../../../line/parse-words.ts';

export interface Configuration {
  readonly assistant: string;
  readonly model?: string;
  readonly top_k?: number;
  /** In tokens. */
  readonly snippet_size?: number;
  readonly filter?: unknown;
}

/** Names of options that `--compare` may change. */
const COMPARED = ['model', 'top-k', 'snippet-size', 'filter'] as const;

/** One configuration, or two to compare. @throws CliProblem */
export function configurationsOf(words: ParsedWords): readonly Configuration[] {
  const [assistant = ''] = words.positionals;
  const first = { assistant, ...optionsOf(words) };
  const changes = pairs(words, 'compare');
  const other = words.text('against');
  if (changes === undefined && other === undefined) return [first];
  const unknown = Object.keys(changes ?? {}).find((name) => !COMPARED.some((each) => each === name));
  if (unknown !== undefined) throw misuse(`--compare changes one of ${COMPARED.join(', ')}, got ${unknown}.`);
  const changed = optionsOf({ ...words, text: (name) => changes?.[name] });
  return [first, { ...first, ...changed, ...(other === undefined ? {} : { assistant: other }) }];
}

function optionsOf(words: ParsedWords): Omit<Configuration, 'assistant'> {
  const model = words.text('model');
  const [topK, size] = [countOption(words, 'top-k'), countOption(words, 'snippet-size')];
  const filter = jsonOption(words, 'filter');
  return {
    ...(model !== undefined && { model }),
    ...(topK !== undefined && { top_k: topK }),
    ...(size !== undefined && { snippet_size: size }),
    ...(filter !== undefined && { filter }),
  };
}

/** The server checks the range. @throws CliProblem */
function countOption(words: ParsedWords, name: string): number | undefined {
  const text = words.text(name);
  if (text === undefined) return undefined;
  if (!/^\d{1,6}$/.test(text)) throw misuse(`${name} must be a whole number.`);
  return Number(text);
}

/** How a table names each configuration: by what differs between them. */
export function labelsOf(configurations: readonly Configuration[]): readonly string[] {
  const fields = ['assistant', 'model', 'top_k', 'snippet_size', 'filter'] as const;
  const shown = (each: Configuration, field: keyof Configuration): string => {
    const value = each[field];
    if (value === undefined) return `default ${field}`;
    if (field === 'assistant' || field === 'model') return String(value);
    return `${field} ${JSON.stringify(value)}`;
  };
  const differing = fields.filter(
    (field) => new Set(configurations.map((each) => shown(each, field))).size > 1,
  );
  return configurations.map((each) => differing.map((field) => shown(each, field)).join(', '));
}

/** The body of a chat. */
export function chatBodyOf(question: string, configuration: Configuration): JsonObject {
  const { model, filter } = configuration;
  const context = contextOptionsOf(configuration);
  return {
    messages: [{ role: 'user', content: question }],
    stream: false,
    ...(model !== undefined && { model }),
    ...(filter !== undefined && { filter }),
    ...(Object.keys(context).length > 0 && { context_options: context }),
  };
}

/** The body of a request for context, without pictures. */
export function contextBodyOf(question: string, configuration: Configuration): JsonObject {
  const { filter } = configuration;
  return {
    query: question,
    include_binary_content: false,
    ...(filter !== undefined && { filter }),
    ...contextOptionsOf(configuration),
  };
}

function contextOptionsOf({ top_k, snippet_size }: Configuration): JsonObject {
  return { ...(top_k !== undefined && { top_k }), ...(snippet_size !== undefined && { snippet_size }) };
}
