// Schemas of the filters of document calls.
import { MATCH_TOKENS_MAX } from '../../../domain/full-text/query-limits.ts';
import { Type } from '../../schema/type.ts';
import { filterLanguageText } from '../records/filter-schema.ts';

const TEXT_ROWS = [
  '| filter | matches documents |',
  '|---|---|',
  '| `{"text":{"$match_phrase":"apple pie"}}` | whose text has the words next to each other, in this order |',
  '| `{"text":{"$match_all":"apple cinnamon"}}` | whose text has every word |',
  '| `{"text":{"$match_any":"apple pear"}}` | whose text has one of the words |',
].join('\n');

export const MetadataFilterObject = Type.Record(Type.String(), Type.Unknown(), {
  title: 'MetadataFilter',
  description: `Selects documents by their metadata.\n\n${filterLanguageText()}`,
  examples: [{ minutes: { $lte: 60 } }],
});

export const DocumentFilterObject = Type.Record(Type.String(), Type.Unknown(), {
  title: 'DocumentFilter',
  description:
    'Selects documents by their metadata and by the words of full-text fields, in any combination with `$and`, `$or` ' +
    `and \`$not\`. The text of an operator has at most ${MATCH_TOKENS_MAX} tokens.\n\n${TEXT_ROWS}\n\n${filterLanguageText()}`,
  examples: [{ $and: [{ text: { $match_phrase: 'apple pie' } }, { minutes: { $lte: 60 } }] }],
});
