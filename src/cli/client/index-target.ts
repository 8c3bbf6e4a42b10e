// The index that a command is about: its own address, what it holds, and the namespace.
import { NEWEST_API_VERSION } from '../../domain/api-version.ts';
import { CliProblem, type Io, type ParsedWords } from '../command.ts';
import { ApiClient } from './api-client.ts';
import { type IndexKind, kindOf, textFieldsOf } from './index-kind.ts';

export interface IndexTarget {
  readonly name: string;
  readonly client: ApiClient;
  readonly kind: IndexKind;
  /** The fields of records that are texts. */
  readonly textFields: readonly string[];
  /** As paths and bodies name it; the default one has a name, too. */
  readonly namespace: string;
}

export const NAMESPACE = {
  namespace: { value: 'NAMESPACE', short: 'n', about: 'Namespace; by default the default one' },
};

/** Of commands that read. */
export const AS_OF = {
  'as-of': {
    value: 'MOMENT',
    about: 'Read as it was after a write (its LSN) or at a time, as 2026-07-01T09:30:00Z',
  },
};

const DEFAULT_NAMESPACE = '__default__';

/** The index of the first argument. @throws Refusal, CliProblem */
export async function indexTarget(words: ParsedWords, io: Io): Promise<IndexTarget> {
  const [name = ''] = words.positionals;
  const server = await ApiClient.of(words, io);
  const index = await server.call('GET', `/indexes/${encodeURIComponent(name)}`, {
    version: NEWEST_API_VERSION,
  });
  return {
    name,
    client: server.at(String(index.host), momentHeaders(words)),
    kind: kindOf(index),
    textFields: textFieldsOf(index),
    namespace: words.text('namespace') ?? DEFAULT_NAMESPACE,
  };
}

/** As `indexTarget`, of documents. @throws Refusal, CliProblem where it is of another kind */
export async function documentTarget(words: ParsedWords, io: Io): Promise<IndexTarget> {
  const target = await indexTarget(words, io);
  if (target.kind === 'documents') return target;
  throw new CliProblem(`${target.name} is no index of documents: use 'pinyon record'.`);
}

/** The header of reads at an earlier moment, where the command names one. */
export function momentHeaders(words: ParsedWords): Readonly<Record<string, string>> {
  const moment = words.text('as-of');
  return moment === undefined ? {} : { 'x-pinyon-as-of': moment };
}

/** Bodies of vectors name the default namespace by an empty text. */
export function wireNamespace(namespace: string): string {
  return namespace === DEFAULT_NAMESPACE ? '' : namespace;
}
