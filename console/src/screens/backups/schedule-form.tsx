// Creates a schedule of backups of an index, or changes one.
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorBox } from '../../ui/feedback.tsx';
import { Input, Select } from '../../ui/field.tsx';
import { FormActions } from '../../ui/form-actions.tsx';
import { useTask } from '../../ui/task.ts';
import { useIndexChoice } from './index-choices.ts';
import type { Schedule } from './types.ts';

const FREQUENCIES = [
  { value: 'daily', text: 'Every day' },
  { value: 'weekly', text: 'Every week' },
  { value: 'monthly', text: 'Every month' },
];

interface ScheduleFormProps {
  /** The one to change; absent for a new one. */
  readonly schedule?: Schedule;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

export function ScheduleForm({ schedule, onClose, onSaved }: ScheduleFormProps) {
  const [name, setName] = useState('');
  const [frequency, setFrequency] = useState<string>(schedule?.frequency ?? 'daily');
  const [days, setDays] = useState(String(schedule?.retention_expire_after_days ?? 14));
  const [isEnabled, setEnabled] = useState(schedule?.enabled ?? true);
  const task = useTask();
  const { choices, chosen, choose, problem } = useIndexChoice(schedule === undefined);
  const save = async (event: Event) => {
    event.preventDefault();
    const retention = { expire_after_days: Number(days) };
    const isSaved = await task.run(async () => {
      if (schedule === undefined) {
        const body = { name, schedule: { type: 'time-based', frequency }, retention };
        await call('POST', `indexes/${encodeURIComponent(chosen)}/backup-schedules`, { body });
      } else {
        const body = { frequency, retention, enabled: isEnabled };
        await call('PATCH', `backup-schedules/${schedule.schedule_id}`, { body });
      }
      onSaved();
    });
    if (isSaved) onClose();
  };
  return (
    <Dialog title={schedule === undefined ? 'Schedule backups' : 'Change the schedule'} onClose={onClose}>
      <form onSubmit={save}>
        {schedule === undefined && (
          <>
            <Select label="Index" value={chosen} choices={choices} onValue={choose} />
            <Input
              label="Name"
              hint="Lower-case letters, digits and hyphens"
              value={name}
              onValue={setName}
              required
              autocomplete="off"
              spellcheck={false}
              autofocus
            />
          </>
        )}
        <div class="pair">
          <Select label="How often" value={frequency} choices={FREQUENCIES} onValue={setFrequency} />
          <Input label="Days each is kept" type="number" min="1" value={days} onValue={setDays} required />
        </div>
        {schedule !== undefined && (
          <label class="check">
            <input
              type="checkbox"
              checked={isEnabled}
              onChange={({ currentTarget: { checked } }) => setEnabled(checked)}
            />{' '}
            It runs
          </label>
        )}
        <p class="quiet">
          {schedule === undefined
            ? 'The first backup is made after one such time from now.'
            : 'A schedule that is switched on again makes a backup at once. The days apply to its earlier backups, too.'}
        </p>
        <ErrorBox problem={task.problem ?? problem} />
        <FormActions
          action={schedule === undefined ? 'Schedule' : 'Change'}
          disabled={task.isRunning || (schedule === undefined && chosen === '')}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  );
}
