// pinyon assistant evaluate: runs a question set over an assistant, and measures retrieval, citations and answers.
import { closeSync, openSync, writeFileSync } from 'node:fs';
import type { Configuration } from '../../../../domain/assistants/evaluation/configuration.ts';
import { runQuestions } from '../../../../domain/assistants/evaluation/run-questions.ts';
import { type Runs, summaryLine } from '../../../../domain/assistants/evaluation/runs.ts';
import type { TestQuestion } from '../../../../domain/assistants/evaluation/test-question.ts';
import { ApiClient } from '../../../client/api-client.ts';
import { CliProblem, EXIT_DONE, EXIT_FAILED, type Io, type ParsedWords } from '../../../command.ts';
import { named } from '../../../files/write-files.ts';
import { wholeNumber } from '../../../line/parse-words.ts';
import { Progress } from '../../../terminal/progress.ts';
import { counted } from '../../../terminal/watch.ts';
import { filesOf, VERSION } from '../manage.ts';
import { configurationsOf } from './configuration.ts';
import { readQuestions } from './question-set.ts';
import { reportOf } from './report.ts';
import { runQuestion } from './run-question.ts';

const AT_ONCE_PRESET = 4;
const SHOWN_PRESET = 5;

export async function evaluate(words: ParsedWords, io: Io): Promise<number> {
  const configurations = configurationsOf(words);
  const atOnce = wholeNumber(words, 'at-once', AT_ONCE_PRESET);
  const shown = wholeNumber(words, 'worst', SHOWN_PRESET);
  const questions = await readQuestions(words.text('questions') ?? '', words.text('format'), io);
  const client = await ApiClient.of(words, io);
  for (const { assistant } of configurations) await checkFiles(client, { assistant, questions }, io);
  const output = openOutput(words.text('output'));
  try {
    const runs = await runAll({ client, questions, configurations, atOnce, output }, io);
    const summary = summaryLine(configurations, runs);
    output.write({ type: 'summary', ...summary });
    if (words.flag('json')) io.out(`${JSON.stringify(summary)}\n`);
    else io.out(reportOf(questions, runs, { io, shown }));
    return told(runs, io);
  } finally {
    output.close();
  }
}

interface Task {
  readonly client: ApiClient;
  readonly questions: readonly TestQuestion[];
  readonly configurations: readonly Configuration[];
  readonly atOnce: number;
  readonly output: Output;
}

async function runAll({ client, questions, configurations, atOnce, output }: Task, io: Io): Promise<Runs> {
  const progress = new Progress(io, 'Evaluate');
  try {
    return await runQuestions({
      ...{ questions, configurations, atOnce },
      ask: (question, configuration) => runQuestion(client, question, configuration),
      onOutcome: (question, configuration, outcome) =>
        output.write({ type: 'question', configuration, ...question, ...outcome }),
      onProgress: (done) => {
        progress.share(done / questions.length);
        progress.count(done, 'question');
      },
    });
  } finally {
    progress.end();
  }
}

/** Warns of files that the assistant does not have: no snippet could be of them. @throws Refusal */
async function checkFiles(
  client: ApiClient,
  { assistant, questions }: { readonly assistant: string; readonly questions: readonly TestQuestion[] },
  io: Io,
): Promise<void> {
  await client.call('GET', `/assistant/assistants/${encodeURIComponent(assistant)}`, { version: VERSION });
  const expected = new Set(questions.flatMap(({ file }) => file ?? []));
  if (expected.size === 0) return;
  const names = new Set((await filesOf(client, assistant)).map(({ name }) => name));
  for (const name of expected) {
    if (!names.has(name)) io.err(`Assistant ${assistant} has no file ${name}.\n`);
  }
}

/** Says why questions failed. Returns the exit code. */
function told(runs: Runs, io: Io): number {
  const errors = runs.flatMap(({ outcomes }) =>
    outcomes.flatMap((each) => ('error' in each ? each.error : [])),
  );
  if (errors.length === 0) return EXIT_DONE;
  for (const error of new Set(errors)) {
    const count = errors.filter((each) => each === error).length;
    io.err(`${counted(count, 'question')} failed: ${error}\n`);
  }
  return EXIT_FAILED;
}

interface Output {
  readonly write: (line: object) => void;
  readonly close: () => void;
}

/** Lines are written as questions end, so that an interrupted run leaves those. @throws CliProblem */
function openOutput(path: string | undefined): Output {
  if (path === undefined) return { write: () => undefined, close: () => undefined };
  try {
    const file = openSync(path, 'w');
    return {
      write: (line) => {
        try {
          writeFileSync(file, `${JSON.stringify(line)}\n`);
        } catch (error) {
          throw named(error, path);
        }
      },
      close: () => closeSync(file),
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliProblem(`${path} cannot be written: ${reason}.`, undefined, error);
  }
}
