// Generates the error reference page from the fault catalog.

import type { FaultEntry } from '../../domain/faults/entry.ts';
import { FAULTS, RPC_CODES } from '../../domain/faults.ts';

/** The page docs/reference/errors.md. */
export function errorsPage(): string {
  const rows = Object.entries(FAULTS)
    .sort(([, a], [, b]) => a.status - b.status)
    .map(
      ([name, { status, code, when, message, reason }]: [string, FaultEntry]) =>
        `| \`${name}\` | ${status} | \`${code}\`${reason === undefined ? '' : `, \`${reason}\``} | ${RPC_CODES[code]} | ${cell(when)} | \`${cell(message)}\` |`,
    );
  return [
    '# Errors',
    '',
    'Generated from `src/domain/faults.ts` by `npm run docs`; change it there.',
    '',
    'The body of an error depends on where it occurs:',
    '',
    '| where | body |',
    '|---|---|',
    '| control plane, administration, and authentication everywhere | `{"status": 404, "error": {"code": "NOT_FOUND", "message": "..."}}` |',
    '| most of the data plane | `{"code": 5, "message": "...", "details": []}`, with the rpc code |',
    '| identity check, login | `{"message": "...", "code": "NOT_FOUND"}` |',
    '| token exchange | `{"error": "access_denied", "error_description": "..."}` |',
    '| evaluations | `{"message": "..."}` |',
    '',
    'Errors of namespace aliases have a reason, in `details[0].reason` and `error.details.reason`: clients compare it',
    'instead of the message.',
    '',
    'The headers `x-pinecone-request-id` and `x-request-id` of every response have the id of its request, as in the log;',
    '`x-pinecone-request-latency-ms` and `x-pinecone-response-duration-ms` have the milliseconds that it took.',
    'The server fills in the placeholders in braces.',
    '',
    '| Condition | Status | Code, reason | rpc | When | Message |',
    '|---|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
