// pinyon recall: sets the recall that the searches of an index promise, and shows what audits found.
import { type JsonObject, membersOf } from '../../domain/json.ts';
import { misuse } from '../command.ts';
import { indexSetting } from './index-setting.ts';

export const recallSetting = indexSetting({
  segment: 'recall',
  bodyOf: (words) => {
    const recall = Number(words.text('recall'));
    if (!Number.isFinite(recall)) throw misuse('--recall must be a number such as 0.99.');
    return { recall };
  },
  textOf,
  endText: 'The index promises the usual recall.',
});

function textOf({ recall, audited, state }: JsonObject): string {
  const { recall: share, low, high } = membersOf(audited);
  const promise =
    typeof recall === 'number'
      ? `The index promises a recall of ${recall}.`
      : 'The index promises the usual recall.';
  const shown =
    typeof share === 'number'
      ? `Audits have shown ${digits(share)}, and 95 % sure ${digits(low)} to ${digits(high)}`
      : 'There were too few audits, as where searches are exact';
  return `${promise} ${shown}${typeof state === 'string' ? `: ${state}.` : '.'}`;
}

function digits(share: unknown): string {
  return typeof share === 'number' ? share.toFixed(4) : '?';
}
