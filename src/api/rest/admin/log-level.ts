// GET and PUT /admin/log-level: how much the log of this process says, until it ends. Only for owners of the server's
// own organization. Not in the public API.
import { fault, invalid } from '../../../domain/faults.ts';
import { LOG_LEVELS, type LogControl } from '../../../domain/log-level.ts';
import type { EndpointDetails, Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import type { AdminCall, AdminEndpoint } from './admin-endpoint.ts';
import { readBody } from './read-body.ts';

const PERMISSION = 'admin::organization::update';

const Level = Type.Union(
  LOG_LEVELS.map((level) => Type.Literal(level)),
  { description: 'The least severe lines that the log has.', examples: ['info'] },
);

const LogLevelObject = Type.Object({
  level: Level,
  configured: Type.Union(
    LOG_LEVELS.map((level) => Type.Literal(level)),
    { description: 'The level after a restart: `PINYON_LOG_LEVEL`.', examples: ['info'] },
  ),
});

const LogLevelBody = Type.Object({ level: Type.String({ enum: [...LOG_LEVELS], examples: ['info'] }) });

/** @throws access-forbidden for owners of other organizations */
function logOf({ access, services }: AdminCall): LogControl {
  if (services.log.organizationId === access.organizationId) return services.log;
  throw fault('access-forbidden', { permission: PERMISSION });
}

function replyOf({ configured, current }: LogControl): Reply {
  return { status: 200, body: { level: current(), configured } };
}

/** Sets the level after its audit entry is kept: no level is set that nobody answers for. */
async function setLevel(call: AdminCall): Promise<Reply> {
  const log = logOf(call);
  const { level: given } = readBody(LogLevelBody, call.body);
  const level = LOG_LEVELS.find((each) => each === given);
  if (level === undefined) throw invalid(`level must be one of ${LOG_LEVELS.join(', ')}`);
  await call.services.administration.audit.record(
    {
      organizationId: log.organizationId,
      action: 'server.set_log_level',
      resourceType: 'server',
      resourceId: '',
      details: { level },
    },
    call.actor,
  );
  log.set(level);
  return replyOf(log);
}

const FACTS = {
  path: '/admin/log-level',
  tag: 'Log level',
  since: '2025-04',
  errors: 'standard',
  permission: PERMISSION,
  scope: 'organization',
} as const satisfies Partial<EndpointDetails> & Pick<AdminEndpoint, 'permission' | 'scope'>;

const EXTENSION = 'An extension of this server, not part of the public API.';

export const describeLogLevel: AdminEndpoint = {
  ...FACTS,
  id: 'fetch_log_level',
  method: 'GET',
  summary: 'Describe the log level',
  description: `For owners of the server's first organization. ${EXTENSION}`,
  success: { status: 200, description: 'The level.', schema: LogLevelObject },
  faults: ['access-forbidden'],
  handle: async (call) => replyOf(logOf(call)),
};

export const setLogLevel: AdminEndpoint = {
  ...FACTS,
  id: 'set_log_level',
  method: 'PUT',
  summary: 'Set the log level',
  description:
    "Holds at once, on the node that answers, until it restarts. For owners of the server's first organization. " +
    `Audited. ${EXTENSION}`,
  body: LogLevelBody,
  success: { status: 200, description: 'The level as it is now.', schema: LogLevelObject },
  faults: ['invalid-argument', 'access-forbidden'],
  handle: setLevel,
};
