// What an evaluation runs with: an assistant and the options of its questions.
import type { JsonObject } from '../../json.ts';

export interface Configuration {
  readonly assistant: string;
  readonly model?: string;
  readonly top_k?: number;
  /** In tokens. */
  readonly snippet_size?: number;
  readonly filter?: unknown;
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
