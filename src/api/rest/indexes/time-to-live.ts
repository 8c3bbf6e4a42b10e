// Endpoints below /indexes/{index_name}/ttl: when the records of an index expire.
import {
  LIFETIME_NAMESPACES_MAX,
  LIFETIME_SECONDS_MAX,
  type TimeToLive,
} from '../../../domain/expiry/time-to-live.ts';
import { invalid } from '../../../domain/faults.ts';
import { namespaceToShown, namespaceToStored } from '../../../domain/records/record-id.ts';
import { Type } from '../../schema/type.ts';
import { indexSetting } from './index-setting.ts';

const Seconds = Type.Union([Type.Integer({ minimum: 1, maximum: LIFETIME_SECONDS_MAX }), Type.Null()]);
const Namespaces = Type.Record(Type.String(), Seconds, {
  description: `Lifetimes of single namespaces, up to ${LIFETIME_NAMESPACES_MAX}, which take precedence; null for ever.`,
  examples: [{ sessions: 3_600, archive: null }],
});
const SECONDS_TEXT =
  'How long records without a moment of their own live from their upsert on; null, the default, for ever. The moment is ' +
  'written into the field.';

const TimeToLiveBody = Type.Object(
  {
    field: Type.String({
      description:
        'The metadata field with the moment at which a record expires, in seconds since 1970. Filters must be able to ' +
        'use it.',
      examples: ['expires_at'],
    }),
    seconds: Type.Optional(Type.Union(Seconds.anyOf, { description: SECONDS_TEXT, examples: [86_400] })),
    namespaces: Type.Optional(Namespaces),
  },
  {
    additionalProperties: false,
    title: 'TimeToLiveRequest',
    examples: [{ field: 'expires_at', seconds: 86_400, namespaces: { sessions: 3_600 } }],
  },
);

const TimeToLiveObject = Type.Object(
  {
    field: Type.Union([Type.String(), Type.Null()], {
      description: 'Null where records do not expire.',
      examples: ['expires_at'],
    }),
    seconds: Type.Union(Seconds.anyOf, { description: SECONDS_TEXT, examples: [86_400] }),
    namespaces: Namespaces,
  },
  { title: 'TimeToLive' },
);

export const timeToLiveEndpoints = indexSetting({
  id: 'time_to_live',
  tag: 'Time to live',
  path: '/indexes/{index_name}/ttl',
  body: TimeToLiveBody,
  shown: { schema: TimeToLiveObject, description: 'The setting.' },
  texts: {
    describe: { summary: 'Describe when the records of an index expire' },
    set: {
      summary: 'Set when the records of an index expire',
      description:
        'Replaces the whole setting. From its reply on, no read shows a record whose moment has passed; the background ' +
        'removes it. Records that are there already expire by their field, too, and get no lifetime.',
    },
    end: {
      summary: 'Let the records of an index live for ever',
      description: 'Records that have expired and are not removed yet are seen again.',
    },
  },
  faults: ['lifetime-of-alias'],
  callsOf: ({ timeToLives }) => timeToLives,
  valueOf: ({ field, seconds = null, namespaces = {} }) => ({
    ...{ field, seconds },
    namespaces: storedNames(namespaces),
  }),
  toWire: timeToLiveToWire,
});

function storedNames(namespaces: TimeToLive['namespaces']): TimeToLive['namespaces'] {
  const named = Object.entries(namespaces).map(
    ([name, seconds]) => [namespaceToStored(name), seconds] as const,
  );
  const stored = Object.fromEntries(named);
  if (Object.keys(stored).length < named.length)
    throw invalid("namespaces names the default namespace twice: it is '' and '__default__'");
  return stored;
}

function timeToLiveToWire(ttl: TimeToLive | null) {
  const { field, seconds, namespaces } = ttl ?? { field: null, seconds: null, namespaces: {} };
  const shown = Object.entries(namespaces).map(([name, each]) => [namespaceToShown(name), each] as const);
  return { field, seconds, namespaces: Object.fromEntries(shown) };
}
