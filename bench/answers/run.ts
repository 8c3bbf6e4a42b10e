// How often the built-in answers are right, with file and page, and say so when the files hold none. Run: npm run bench:answers
import '../../src/boot/runtime-flags.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Figure, machine, table } from '../support/figures.ts';
import { startService } from '../support/service.ts';
import { BenchAssistant } from './assistant.ts';
import { ANSWER_FILES, fetchFiles, OTHER_ANSWER_FILES } from './files.ts';
import { type Judged, judged } from './judged.ts';
import { fetchLaterFiles, LATER_ANSWER_FILES } from './later-files.ts';
import { writeOwnFiles } from './own-files.ts';
import {
  GROUPS,
  laterQuestions,
  otherQuestions,
  ownQuestions,
  type Question,
  questions,
} from './questions.ts';

const PORTS = { base: 15_880 };
const RIGHT_GOAL = 0.8;
const TOLD_GOAL = 0.9;
const SNIPPETS_READ = 3;

interface FileSet {
  readonly files: string;
  readonly asked: readonly Question[];
}

/** Names of sets, of which only these are asked: `npm run bench:answers -- later --all`. */
const CHOSEN = process.argv.slice(2).filter((each) => !each.startsWith('--'));
/** Asks of a group of questions only, so that others stay unseen: `--half=first`. */
const HALF = process.argv.find((each) => each.startsWith('--half='))?.slice('--half='.length);

const folder = mkdtempSync(join(tmpdir(), 'pinyon-bench-'));
const OWN_FILES = mkdtempSync(join(tmpdir(), 'pinyon-own-files-'));
const agent = new Agent({ keepAlive: true });
const service = await startService(folder, PORTS);
/** Each fetches or writes its files first. */
const SETS: Readonly<Record<string, () => FileSet | Promise<FileSet>>> = {
  packages: () => {
    fetchFiles();
    return { files: ANSWER_FILES, asked: questions() };
  },
  own: async () => {
    await writeOwnFiles(OWN_FILES);
    return { files: OWN_FILES, asked: ownQuestions() };
  },
  other: () => {
    fetchFiles();
    return { files: OTHER_ANSWER_FILES, asked: otherQuestions() };
  },
  later: () => {
    fetchLaterFiles();
    const asked = laterQuestions().filter(({ group }) => HALF === undefined || group.includes(HALF));
    return { files: LATER_ANSWER_FILES, asked };
  },
};

try {
  console.log(machine());
  const all: Judged[] = [];
  for (const [name, ready] of Object.entries(SETS)) {
    if (CHOSEN.length > 0 && !CHOSEN.includes(name)) continue;
    const { files, asked } = await ready();
    all.push(...(await judgedAll(name, files, asked)));
  }
  for (const group of GROUPS) {
    const those = all.filter(({ question }) => question.group === group);
    if (those.length === 0) continue;
    console.log(`\n### ${group}\n\n${table(figures(those))}\n`);
    if (process.argv.includes('--all')) for (const each of those) console.log(shown(each));
  }
} finally {
  await service.stop();
  agent.destroy();
  for (const made of [folder, OWN_FILES]) rmSync(made, { recursive: true });
}

/** Asks an assistant of the folder's files. */
async function judgedAll(
  name: string,
  files: string,
  asked: readonly Question[],
): Promise<readonly Judged[]> {
  const assistant = await BenchAssistant.create(agent, service, name);
  console.log(`${name}: ${await assistant.upload(files)} files`);
  const all: Judged[] = [];
  for (const question of asked) all.push(await judge(assistant, question));
  return all;
}

async function judge(assistant: BenchAssistant, question: Question): Promise<Judged> {
  const asked = [...(question.before === undefined ? [] : [question.before]), question.question];
  const reply = await assistant.chat(asked);
  return judged(question, reply, await assistant.context(asked, SNIPPETS_READ));
}

function figures(all: readonly Judged[]): readonly Figure[] {
  const answerable = all.filter(({ question }) => question.file !== undefined);
  const others = all.filter(({ question }) => question.file === undefined);
  const share = (
    what: string,
    of: readonly Judged[],
    is: (each: Judged) => boolean,
    goal?: number,
  ): Figure => {
    const count = of.filter(is).length;
    const part = count / of.length;
    return {
      what,
      goal: goal === undefined ? null : `>= ${goal}`,
      measured: `${count} of ${of.length}`,
      met: goal === undefined || part >= goal,
    };
  };
  return [
    share('right answer, file and page', answerable, ({ isRight }) => isRight, RIGHT_GOAL),
    share('of these, the first quote is right', answerable, ({ isFirst }) => isFirst),
    share('right page among the first three snippets', answerable, ({ isFound }) => isFound),
    share('answerable, but told as not answered', answerable, ({ isTold }) => isTold),
    share('unanswerable, told as such', others, ({ isTold }) => isTold, TOLD_GOAL),
  ];
}

function shown({ question, reply, isRight, isFirst, isFound, isTold }: Judged): string {
  const marks = [
    isRight ? 'right' : 'WRONG',
    isFirst ? 'first' : '',
    isFound ? 'found' : '',
    isTold ? 'told' : '',
  ];
  const cited = reply.references.map(({ file, pages = [] }) => `${file.name}:${pages.join(',')}`);
  return `- ${question.question} [${marks.filter(Boolean).join(' ')}] ${question.file}:${question.pages} ${question.holds}\n${reply.content}\n  ${cited.join(' ')}\n`;
}
