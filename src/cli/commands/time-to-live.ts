// pinyon ttl: sets when the records of an index expire.
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { CliProblem } from '../command.ts';
import { indexSetting } from './index-setting.ts';

const EVER = 'ever';

export const timeToLiveSetting = indexSetting({
  segment: 'ttl',
  bodyOf: (words) => {
    const field = words.text('field');
    if (field === undefined) throw new CliProblem('Give the metadata field: --field FIELD.');
    const seconds = words.text('seconds');
    const namespaces = words.text('namespaces');
    return {
      field,
      ...(seconds !== undefined && { seconds: secondsOf(seconds, '--seconds') }),
      ...(namespaces !== undefined && { namespaces: namespacesOf(namespaces) }),
    };
  },
  textOf,
  endText: 'The records of the index live for ever.',
});

function secondsOf(text: string, where: string): number | null {
  if (text === EVER) return null;
  if (!/^[1-9]\d*$/.test(text))
    throw new CliProblem(`${where} must be a whole number of seconds or '${EVER}', got '${text}'.`);
  return Number(text);
}

function namespacesOf(list: string): Readonly<Record<string, number | null>> {
  const pairs = list.split(',').map((pair) => {
    const at = pair.lastIndexOf('=');
    if (at <= 0) throw new CliProblem(`--namespaces expects NAMESPACE=SECONDS, got '${pair}'.`);
    return [pair.slice(0, at), secondsOf(pair.slice(at + 1), '--namespaces')] as const;
  });
  return Object.fromEntries(pairs);
}

function textOf({ field, seconds, namespaces }: JsonObject): string {
  if (typeof field !== 'string') return 'The records of the index live for ever.';
  const lasting = (value: unknown) => (value === null ? 'for ever' : `for ${value} seconds`);
  const own = Object.entries(isJsonObject(namespaces) ? namespaces : {});
  return [
    `Records expire at the moment in the field ${field}. Without one they live ${lasting(seconds)}.`,
    ...own.map(([name, value]) => `  ${name}: ${lasting(value)}`),
  ].join('\n');
}
