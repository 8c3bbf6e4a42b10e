// The three endpoints of a setting of an index that is an extension of this server: describe it, set it, end it.
import type { ProjectAccess } from '../../../domain/access.ts';
import type { FaultName } from '../../../domain/faults.ts';
import type { ControlEndpoint, ControlServices, EndpointDetails } from '../../endpoint.ts';
import type { Static, TSchema } from '../../schema/type.ts';
import { deserialize } from './deserialize.ts';
import { indexName } from './index-reply.ts';
import { IndexParams } from './index-schemas.ts';

const OURS = ' An extension of this server, not part of the public API.';

/** What keeps the setting. Faults: index-not-found; of changes also index-not-ready, and of `set` invalid-argument and its own. */
interface SettingCalls<Value, Report> {
  describe(access: ProjectAccess, indexName: string): Promise<Report>;
  set(access: ProjectAccess, indexName: string, value: Value): Promise<Report>;
  end(access: ProjectAccess, indexName: string): Promise<void>;
}

interface EndpointText {
  readonly summary: string;
  /** Sentences of its own before the one that all have. */
  readonly description?: string;
}

interface IndexSetting<Body extends TSchema, Value, Report> {
  /** Of the operation ids, in snake_case. */
  readonly id: string;
  readonly tag: string;
  readonly path: string;
  readonly body: Body;
  /** What is answered. */
  readonly shown: { readonly schema: TSchema; readonly description: string };
  readonly texts: Readonly<Record<'describe' | 'set' | 'end', EndpointText>>;
  readonly callsOf: (services: ControlServices) => SettingCalls<Value, Report>;
  /** Further faults of `set`. */
  readonly faults?: readonly FaultName[];
  /** @throws invalid-argument */
  readonly valueOf: (body: Static<Body>) => Value;
  readonly toWire: (report: Report) => object;
}

export function indexSetting<Body extends TSchema, Value, Report>(
  setting: IndexSetting<Body, Value, Report>,
): Readonly<Record<'describe' | 'set' | 'end', ControlEndpoint>> {
  const { callsOf, toWire } = setting;
  const common = {
    tag: setting.tag,
    since: '2026-07',
    errors: 'standard',
    params: IndexParams,
    path: setting.path,
  } as const satisfies Partial<EndpointDetails>;
  const success = { status: 200, ...setting.shown };
  return {
    describe: {
      ...common,
      id: `describe_${setting.id}`,
      method: 'GET',
      ...withOurs(setting.texts.describe),
      permission: 'control_plane::indexes::describe',
      success,
      faults: ['index-not-found'],
      handle: async (call) => ({
        status: 200,
        body: toWire(await callsOf(call.services).describe(call.access, indexName(call))),
      }),
    },
    set: {
      ...common,
      id: `set_${setting.id}`,
      method: 'PUT',
      ...withOurs(setting.texts.set),
      permission: 'control_plane::indexes::configure',
      body: setting.body,
      success,
      faults: [
        'index-not-found',
        'index-not-ready',
        'body-not-json',
        'body-not-deserializable',
        'invalid-argument',
        ...(setting.faults ?? []),
      ],
      handle: async (call) => {
        const name = indexName(call);
        // An index that is not there is told before what is wrong with the body.
        await call.services.indexes.describe(call.access, name);
        const value = setting.valueOf(deserialize(setting.body, call));
        return { status: 200, body: toWire(await callsOf(call.services).set(call.access, name, value)) };
      },
    },
    end: {
      ...common,
      id: `end_${setting.id}`,
      method: 'DELETE',
      ...withOurs(setting.texts.end),
      permission: 'control_plane::indexes::configure',
      success: { status: 202, description: 'Ended.' },
      faults: ['index-not-found', 'index-not-ready'],
      handle: async (call) => {
        await callsOf(call.services).end(call.access, indexName(call));
        return { status: 202 };
      },
    },
  };
}

function withOurs({ summary, description = '' }: EndpointText) {
  return { summary, description: `${description}${OURS}`.trim() };
}
