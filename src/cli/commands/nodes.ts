// pinyon node, pinyon index move and pinyon assistant move: the nodes that have records of their own, and what is where.
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { ApiClient } from '../client/api-client.ts';
import { CliProblem, EXIT_DONE, type Io, type ParsedWords } from '../command.ts';
import { confirm } from '../terminal/confirm.ts';
import { print, printRows } from '../terminal/print.ts';
import { count, counted, watch } from '../terminal/watch.ts';
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
  const backup = words.text('from-backup');
  if (backup !== undefined)
    await confirm(
      words,
      io,
      `Index ${index} will be taken over from its node and made anew from a backup. What was acknowledged after the backup is lost, also if the node comes back.`,
    );
  return move(words, io, {
    path: `/indexes/${encodeURIComponent(index)}/move`,
    body: { ...(backup !== undefined && { from_backup: backup }) },
    done: (json) =>
      backup === undefined
        ? `Index ${index} is on node ${json.node}. Its writes waited ${count(json.writes_held_ms)} ms.`
        : `Index ${index} is on node ${json.node}, with ${counted(json.records_copied, 'record')} of backup ${json.backup_id}. It has all writes until ${json.complete_until}; later ones are lost.`,
    failed:
      backup === undefined
        ? 'The index is where it was.'
        : 'The index is empty. Try another backup: --from-backup ID.',
  });
}

export async function moveAssistant(words: ParsedWords, io: Io): Promise<number> {
  const [assistant = ''] = words.positionals;
  const isAnew = words.flag('from-files');
  if (isAnew)
    await confirm(
      words,
      io,
      `Assistant ${assistant} will be taken over from its node, and its files are processed again.`,
    );
  return move(words, io, {
    path: `/assistants/${encodeURIComponent(assistant)}/move`,
    body: { ...(isAnew && { from_files: true }) },
    done: ({ node }) =>
      isAnew
        ? `Assistant ${assistant} is on node ${node}. Its files are being processed again: see 'pinyon assistant files'.`
        : `Assistant ${assistant} is on node ${node}.`,
    failed: 'The assistant is where it was.',
  });
}

interface Moving {
  /** In the project. */
  readonly path: string;
  readonly body: JsonObject;
  readonly done: (move: JsonObject) => string;
  /** What a failed move has left. */
  readonly failed: string;
}

/** Begins a move and waits for its end. */
async function move(words: ParsedWords, io: Io, moving: Moving): Promise<number> {
  const node = words.text('to');
  const owner = await ApiClient.ofOwner(words, io);
  const { id } = await projectOf(owner, words.text('project'));
  const path = `/admin/projects/${id}${moving.path}`;
  const begun = moveIn(await owner.call('POST', path, { body: { node, ...moving.body } }));
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
    throw new CliProblem(`The move ended as ${json.state}: ${json.error ?? ''}. ${moving.failed}`);
  print(words, io, { json, text: moving.done(json) });
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
