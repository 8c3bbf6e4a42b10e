// How much the log of the server says: for owners of the server's own organization, until the server restarts.
import { call } from '../../api/call.ts';
import type { Answers } from '../../api/generated/answers.ts';
import { mayInOrganization } from '../../api/session.ts';
import { ErrorBox } from '../../ui/feedback.tsx';
import { Select } from '../../ui/field.tsx';
import { useResource } from '../../ui/resource.ts';
import { useTask } from '../../ui/task.ts';

const PATH = 'admin/log-level';
const CHOICES = [
  { value: 'trace', text: 'trace: most' },
  { value: 'debug', text: 'debug' },
  { value: 'info', text: 'info: each request' },
  { value: 'warn', text: 'warn: warnings and errors' },
  { value: 'error', text: 'error: errors alone' },
  { value: 'silent', text: 'silent: nothing' },
];

/** Shows nothing to those whom the server refuses it. */
export function LogLevel() {
  const isOwner = mayInOrganization('admin::organization::update');
  const log = useResource(isOwner ? 'log level' : '', (signal) =>
    call<Answers['fetch_log_level']>('GET', PATH, { signal }),
  );
  const setting = useTask();
  if (log.value === undefined) return null;
  const { level, configured } = log.value;
  return (
    <section>
      <h2>Log</h2>
      <Select
        label="Log level"
        value={level}
        choices={CHOICES}
        hint={level === configured ? undefined : `${configured} again after a restart of the server`}
        onValue={(chosen) =>
          setting.run(async () => {
            await call('PUT', PATH, { body: { level: chosen } });
            log.reload();
          })
        }
      />
      <ErrorBox problem={setting.problem} />
    </section>
  );
}
