// Reads from the words of a command what an evaluation runs with, and the second configuration of a comparison.
import type { Configuration } from '../../../../domain/assistants/evaluation/configuration.ts';
import { misuse, type ParsedWords } from '../../../command.ts';
import { jsonOption, pairs } from '../../../line/parse-words.ts';

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
