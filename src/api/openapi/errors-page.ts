// The error reference page, made from the error catalogue.
import { FAULTS, RPC_CODES } from '../../domain/faults.ts';

/** The page docs/reference/errors.md. */
export function errorsPage(): string {
  const rows = Object.entries(FAULTS)
    .sort(([, a], [, b]) => a.status - b.status)
    .map(
      ([name, { status, code, when, message }]) =>
        `| \`${name}\` | ${status} | \`${code}\` | ${RPC_CODES[code]} | ${cell(when)} | \`${cell(message)}\` |`,
    );
  return [
    '# Errors',
    '',
    'Made from `src/domain/faults.ts` by `npm run docs`; change it there.',
    '',
    'The control plane and the administration answer',
    '`{"status": 404, "error": {"code": "NOT_FOUND", "message": "..."}}`; most of the data plane answers',
    '`{"code": 5, "message": "...", "details": []}` with the rpc code. Whatever the authentication step refuses has',
    'the first form there. The identity check and the login answer `{"message": "...", "code": "NOT_FOUND"}`, the token',
    'exchange `{"error": "access_denied", "error_description": "..."}`, evaluations `{"message": "..."}`. Every answer names its request in the headers',
    '`x-pinecone-request-id` and `x-request-id`; the log has the same id. Places in braces are filled in.',
    '',
    '| Condition | Status | Code | rpc | When | Message |',
    '|---|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
