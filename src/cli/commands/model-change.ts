// pinyon model-change: gives an index another model while it answers.
import type { JsonObject } from '../../domain/json.ts';
import { ApiClient } from '../client/api-client.ts';
import { CliProblem, EXIT_DONE, type Io, type ParsedWords } from '../command.ts';
import { optionalNumber } from '../line/parse-words.ts';
import { confirm } from '../terminal/confirm.ts';
import { print, printRows } from '../terminal/print.ts';
import { count, counted, watch } from '../terminal/watch.ts';

const COLUMNS = { field: 'FIELD', answering: 'ANSWERING', standby: 'STANDBY' };

function pathOf(words: ParsedWords, action = ''): string {
  const [index = ''] = words.positionals;
  return `/indexes/${encodeURIComponent(index)}/model-change${action}`;
}

export async function startChange(words: ParsedWords, io: Io): Promise<number> {
  const [index = ''] = words.positionals;
  const body = { model: words.text('model'), dimension: optionalNumber(words, 'dimension') };
  const client = await ApiClient.of(words, io);
  const begun = await client.call('POST', pathOf(words), { body });
  if (words.flag('no-wait')) {
    print(words, io, { json: begun, text: `New vectors of index ${index} are being made.` });
    return EXIT_DONE;
  }
  const json = await watch(
    {
      what: 'New vectors',
      look: () => client.call('GET', pathOf(words)),
      percentOf: ({ percent_complete: percent }) => Number(percent ?? 0),
      detailOf: (now) =>
        `${counted(now.records_copied, 'record')}${now.problem === undefined ? '' : `: ${now.problem}`}`,
      hasEnded: ({ state, job_state: job }) =>
        state !== 'Preparing' || job === 'Failed' || job === 'Cancelled',
    },
    io,
  );
  if (json.state === 'Preparing')
    throw new CliProblem(`The new vectors of index ${index} could not be made: ${json.problem ?? ''}`);
  const text = `The new vectors of index ${index} are ready: ${counted(json.records_copied, 'record')}. Compare and switch with 'pinyon model-change compare ${index}' and 'pinyon model-change switch ${index}'.`;
  print(words, io, { json, text });
  return EXIT_DONE;
}

export async function describeChange(words: ParsedWords, io: Io): Promise<number> {
  const json = await (await ApiClient.of(words, io)).call('GET', pathOf(words));
  print(words, io, { json, text: statusText(json) });
  return EXIT_DONE;
}

export async function compareModels(words: ParsedWords, io: Io): Promise<number> {
  const texts = words.positionals.slice(1);
  const body = {
    ...(texts.length > 0 && {
      queries: texts.map((text) => ({ text, ...namespaceOf(words) })),
    }),
    top_k: optionalNumber(words, 'top-k'),
  };
  const client = await ApiClient.of(words, io);
  const json = await client.call('POST', pathOf(words, '/compare'), { body });
  const rows: JsonObject[] = [];
  for (const query of listOf(json.queries)) {
    const [answering, standby] = [listOf(query.answering_ids), listOf(query.standby_ids)];
    rows.push({ field: `${query.text}`, answering: answering.join(' '), standby: standby.join(' ') });
  }
  const share = (value: unknown) => `${Math.round(100 * Number(value))} %`;
  io.err(
    `Overlap of the top ${json.top_k}: ${share(json.overlap)}; same first record: ${share(json.same_first)}; rank-biased overlap: ${share(json.rank_biased_overlap)}.\n`,
  );
  printRows(words, io, { json, rows, columns: COLUMNS });
  return EXIT_DONE;
}

export async function exchange(words: ParsedWords, io: Io, which: 'switch' | 'revert'): Promise<number> {
  const [index = ''] = words.positionals;
  const json = await (await ApiClient.of(words, io)).call('POST', pathOf(words, `/${which}`));
  const who = which === 'switch' ? 'The new' : 'The former';
  print(words, io, { json, text: `${who} vectors of index ${index} answer.` });
  return EXIT_DONE;
}

export async function endChange(words: ParsedWords, io: Io): Promise<number> {
  const [index = ''] = words.positionals;
  const client = await ApiClient.of(words, io);
  const { standby } = await client.call('GET', pathOf(words));
  const what = `The vectors of index ${index} that do not answer, by ${setText(standby)},`;
  await confirm(words, io, `${what} will be removed.`);
  await client.call('DELETE', pathOf(words));
  const json = { index_name: index, ended: true };
  print(words, io, { json, text: `The change of the model of index ${index} has ended.` });
  return EXIT_DONE;
}

function namespaceOf(words: ParsedWords) {
  const namespace = words.text('namespace');
  return namespace === undefined ? {} : { namespace };
}

function listOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value : [];
}

function statusText(json: JsonObject): string {
  const { state, percent_complete: percent, changes_pending: pending, problem } = json;
  const progress = state === 'Preparing' ? `, ${Math.floor(Number(percent))} %` : '';
  const behind = Number(pending) > 0 ? `; ${count(pending)} changes to follow` : '';
  return `${state}${progress}: ${setText(json.answering)} answers, ${setText(json.standby)} stands by${behind}${problem === undefined ? '' : `. Problem: ${problem}`}`;
}

function setText(set: unknown): string {
  const { models, dimension } = Object(set) as JsonObject;
  const names = Array.isArray(models) ? models.join(' and ') : '';
  return dimension === undefined ? names : `${names} (${dimension})`;
}
