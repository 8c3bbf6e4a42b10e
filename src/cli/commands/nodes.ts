// pinyon node and pinyon index move: the nodes that have records of their own, and what is where.
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { ApiClient } from '../client/api-client.ts';
import { CliProblem, EXIT_DONE, type Io, type ParsedWords } from '../command.ts';
import { confirm } from '../terminal/confirm.ts';
import { print, printRows } from '../terminal/print.ts';
import { count, watch } from '../terminal/watch.ts';
import { projectOf } from './administration.ts';

const ENDS = ['Completed', 'Failed', 'Cancelled'];
const MEBIBYTE = 2 ** 20;
const COLUMNS = {
  address: 'ADDRESS',
  id: 'ID',
  version: 'VERSION',
  state: 'STATE',
  placed: 'PLACED',
  memory: 'FREE MEMORY',
  disk: 'FREE DISK',
  last_seen_at: 'LAST SEEN',
};
/** How much of a move is done after a step, in percent: it tells no more. */
const PERCENTS: Readonly<Record<string, number>> = { Copying: 10, Following: 90, Switching: 95, Done: 100 };

export async function listNodes(words: ParsedWords, io: Io): Promise<number> {
  const owner = await ApiClient.ofOwner(words, io);
  const { data } = await owner.call('GET', '/admin/nodes');
  const json = (Array.isArray(data) ? data : []).filter(isJsonObject);
  const rows = json.map((node) => ({
    ...node,
    state: node.alive !== true ? 'does not answer' : node.draining === true ? 'draining' : 'alive',
    memory: mebibytes(node.memory_free_bytes),
    disk: mebibytes(node.disk_free_bytes),
  }));
  printRows(words, io, { json, rows, columns: COLUMNS });
  return EXIT_DONE;
}

export async function drainNode(words: ParsedWords, io: Io): Promise<number> {
  const [node = ''] = words.positionals;
  const owner = await ApiClient.ofOwner(words, io);
  const draining = !words.flag('end');
  const json = await owner.call('PATCH', pathOf(node), { body: { draining } });
  const text = draining
    ? `Node ${json.address} gets no new indexes, and those that it has are moved away: see 'pinyon node list'.`
    : `Node ${json.address} gets new indexes again.`;
  print(words, io, { json, text });
  return EXIT_DONE;
}

export async function forgetNode(words: ParsedWords, io: Io): Promise<number> {
  const [node = ''] = words.positionals;
  const owner = await ApiClient.ofOwner(words, io);
  await confirm(words, io, `Node ${node} will be forgotten.`);
  await owner.call('DELETE', pathOf(node));
  print(words, io, { json: { node, forgotten: true }, text: `Node ${node} is forgotten.` });
  return EXIT_DONE;
}

export async function moveIndex(words: ParsedWords, io: Io): Promise<number> {
  const [index = ''] = words.positionals;
  const node = words.text('to');
  if (node === undefined) throw new CliProblem('Give --to NODE.');
  const owner = await ApiClient.ofOwner(words, io);
  const { id } = await projectOf(owner, words.text('project'));
  const path = `/admin/projects/${id}/indexes/${encodeURIComponent(index)}/move`;
  const begun = moveIn(await owner.call('POST', path, { body: { node } }));
  if (words.flag('no-wait')) {
    print(words, io, { json: begun, text: 'The move has begun.' });
    return EXIT_DONE;
  }
  const json = await watch(
    {
      what: 'Moving',
      look: async () => moveIn(await owner.call('GET', path)),
      percentOf: ({ step }) => PERCENTS[String(step)] ?? 0,
      detailOf: ({ state, step, error }) => `${state}, ${step}${error === null ? '' : `: ${error}`}`,
      hasEnded: ({ state }) => ENDS.includes(String(state)),
    },
    io,
  );
  if (json.state !== 'Completed')
    throw new CliProblem(`The move ended as ${json.state}: ${json.error ?? ''}. The index is where it was.`);
  const text = `Index ${index} is on node ${json.node}. Its writes waited ${count(json.writes_held_ms)} ms.`;
  print(words, io, { json, text });
  return EXIT_DONE;
}

function moveIn({ move }: JsonObject): JsonObject {
  return isJsonObject(move) ? move : {};
}

function pathOf(node: string): string {
  return `/admin/nodes/${encodeURIComponent(node)}`;
}

function mebibytes(bytes: unknown): string {
  return `${count(Math.round(Number(bytes) / MEBIBYTE))} MiB`;
}
