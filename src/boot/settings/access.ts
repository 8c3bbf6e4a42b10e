import {
  apiKey,
  clientId,
  clientSecret,
  flag,
  mailAddress,
  mailServer,
  oneOf,
  wholeNumber,
} from '../setting-kinds.ts';
import { optional, type Setting, setting } from './setting.ts';

export const ACCESS_SETTINGS = {
  apiKey: optional(
    'PINYON_API_KEY',
    apiKey,
    'API key of the default project. If unset, the first start creates a key and shows it once. Keys from earlier starts stay valid.',
  ),
  adminClientId: optional(
    'PINYON_ADMIN_CLIENT_ID',
    clientId,
    'Client id of a service account that owns the organization. If unset, the first start creates one and shows it once.',
  ),
  adminClientSecret: optional(
    'PINYON_ADMIN_CLIENT_SECRET',
    clientSecret,
    'Secret of the client id. Changing it invalidates the tokens of the old one.',
  ),
  smtpUrl: optional(
    'PINYON_SMTP_URL',
    mailServer,
    'Mail server that sends invites. If unset, administrators deliver the links themselves.',
  ),
  smtpFrom: optional('PINYON_SMTP_FROM', mailAddress, 'Sender address of invites.'),
  requireVersionHeader: setting('PINYON_REQUIRE_VERSION_HEADER', flag, {
    preset: 'false',
    about: 'Refuses requests without an API version header.',
  }),
  podKeyRoles: setting('PINYON_POD_KEY_ROLES', flag, {
    preset: 'true',
    about:
      'Applies the roles of API keys to pod indexes as to all others. `false` lets every key of the project do everything ' +
      'with existing pod indexes, as on the public service.',
  }),
  mcp: setting('PINYON_MCP', oneOf(['read', 'write', 'off']), {
    preset: 'read',
    about:
      'The MCP server at `/mcp` and `/mcp/assistants/NAME`: `read` has tools that search and read, `write` also those that write and delete records, for keys whose role allows it; `off` answers 404.',
  }),
  wrongCredentialsMax: setting('PINYON_WRONG_CREDENTIALS_MAX', wholeNumber(0, 1_000_000), {
    preset: '100',
    about:
      'Wrong keys, secrets and tokens in a row that an address, or anybody for a client id, may try; then one a second, and 429 for others. Right ones always work. `0` for no limit.',
  }),
} as const satisfies Record<string, Setting<unknown>>;
