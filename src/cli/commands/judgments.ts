// pinyon judgments: makes judgment sets, carries them as files, and scores searches by them.
import { isJsonObject, type JsonObject, membersOf } from '../../domain/json.ts';
import { ApiClient } from '../client/api-client.ts';
import { CliProblem, EXIT_DONE, type Io, misuse, type ParsedWords } from '../command.ts';
import { optionalNumber } from '../line/parse-words.ts';
import { confirm } from '../terminal/confirm.ts';
import { print, printRows } from '../terminal/print.ts';
import { counted } from '../terminal/watch.ts';
import { readWhole } from './records/read-rows.ts';

const SETS = '/judgment-sets';
const LIST_COLUMNS = {
  id: 'ID',
  name: 'NAME',
  namespace: 'NAMESPACE',
  question_count: 'QUESTIONS',
  judgment_count: 'JUDGMENTS',
};
const SCORE_COLUMNS = {
  configuration: 'CONFIGURATION',
  ndcg: 'NDCG',
  recall: 'RECALL',
  mrr: 'MRR',
  judged: 'JUDGED',
};

export async function listSets(words: ParsedWords, io: Io): Promise<number> {
  const { judgment_sets: json } = await (await indexOf(words, io)).call('GET', SETS);
  printRows(words, io, { json, columns: LIST_COLUMNS });
  return EXIT_DONE;
}

export async function createSet(words: ParsedWords, io: Io): Promise<number> {
  const namespace = words.text('namespace');
  const body = {
    name: words.text('name'),
    ...(namespace !== undefined && { namespace }),
    questions: await questionsIn(words.positionals[1] ?? '', io),
  };
  const json = await (await indexOf(words, io)).call('POST', SETS, { body });
  print(words, io, {
    json,
    text: `Judgment set ${json.id} has ${counted(json.question_count, 'question')}.`,
  });
  return EXIT_DONE;
}

export async function uploadQuestions(words: ParsedWords, io: Io): Promise<number> {
  const body = { questions: await questionsIn(words.positionals[2] ?? '', io) };
  const json = await (await indexOf(words, io)).call('PUT', pathOf(words, '/questions'), { body });
  print(words, io, {
    json,
    text: `Judgment set ${json.id} has ${counted(json.question_count, 'question')}.`,
  });
  return EXIT_DONE;
}

export async function downloadQuestions(words: ParsedWords, io: Io): Promise<number> {
  const { questions } = await (await indexOf(words, io)).call('GET', pathOf(words));
  for (const question of listOf(questions)) io.out(`${JSON.stringify(question)}\n`);
  return EXIT_DONE;
}

export async function scoreSet(words: ParsedWords, io: Io): Promise<number> {
  const given = words.texts('configuration');
  const body = {
    k: optionalNumber(words, 'k'),
    ...(given.length > 0 && { configurations: given.map(configurationOf) }),
  };
  const json = await (await indexOf(words, io)).call('POST', pathOf(words, '/score'), { body });
  const rows = listOf(json.configurations).map((each, at): JsonObject => {
    const { ndcg, recall, mrr, judged } = membersOf(each);
    return {
      configuration: given[at] ?? '{}',
      ...{ ndcg: figure(ndcg), recall: figure(recall), mrr: figure(mrr), judged: figure(judged) },
    };
  });
  printRows(words, io, { json, rows, columns: SCORE_COLUMNS });
  return EXIT_DONE;
}

export async function deleteSet(words: ParsedWords, io: Io): Promise<number> {
  const index = await indexOf(words, io);
  const { id, name, judgment_count: judgments } = await index.call('GET', pathOf(words));
  await confirm(words, io, `Judgment set ${name} with ${counted(judgments, 'judgment')} will be deleted.`);
  await index.call('DELETE', pathOf(words));
  print(words, io, { json: { id, deleted: true }, text: `Judgment set ${name} is deleted.` });
  return EXIT_DONE;
}

async function indexOf(words: ParsedWords, io: Io): Promise<ApiClient> {
  return (await ApiClient.of(words, io)).ofIndex(words.positionals[0] ?? '');
}

function pathOf({ positionals: [, id = ''] }: ParsedWords, rest = ''): string {
  return `${SETS}/${encodeURIComponent(id)}${rest}`;
}

/** @throws CliProblem that names the line which is no JSON */
async function questionsIn(path: string, io: Io): Promise<readonly unknown[]> {
  const text = await readWhole(path, io);
  if (/^\s*\[/.test(text)) return listOf(parsed(text, path));
  return text
    .split('\n')
    .flatMap((line, at) => (line.trim() === '' ? [] : [parsed(line, `${path}, line ${at + 1}`)]));
}

function configurationOf(text: string): JsonObject {
  const value = parsed(text, '--configuration');
  if (!isJsonObject(value)) throw misuse(`--configuration must be a JSON object, got '${text}'.`);
  return value;
}

function parsed(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CliProblem(`${where} is not JSON.`);
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function figure(value: unknown): string {
  return typeof value === 'number' ? value.toFixed(3) : '-';
}
