// Parts of schedule bodies, and the checks of their values.
import { RETENTION_DAYS_MAX, RETENTION_DAYS_MIN } from '../../../domain/backups/limits.ts';
import { FREQUENCIES, type Frequency } from '../../../domain/backups/schedule.ts';
import { invalid } from '../../../domain/faults.ts';
import { type Static, Type } from '../../schema/type.ts';
import { choice } from '../indexes/body-parts.ts';

export const FrequencyBody = choice(FREQUENCIES);

export const RetentionBody = Type.Object({
  expire_after_days: Type.Integer({
    minimum: RETENTION_DAYS_MIN,
    maximum: RETENTION_DAYS_MAX,
    description: 'How many days each backup of the schedule is kept.',
  }),
});

/** @throws invalid-argument */
export function frequencyNamed(name: string): Frequency {
  const frequency = FREQUENCIES.find((one) => one === name);
  if (frequency === undefined) throw invalid(`frequency must be one of ${FREQUENCIES.join(', ')}.`);
  return frequency;
}

/** @throws invalid-argument */
export function retentionDays({ expire_after_days: days }: Static<typeof RetentionBody>): number {
  if (days < RETENTION_DAYS_MIN || days > RETENTION_DAYS_MAX) {
    throw invalid(
      `retention.expire_after_days must be an integer from ${RETENTION_DAYS_MIN} to ${RETENTION_DAYS_MAX}.`,
    );
  }
  return days;
}
