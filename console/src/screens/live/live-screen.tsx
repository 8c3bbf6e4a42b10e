// The live view: figures of the last hour or day as plots, and the requests of the project as they end.
import { may, project, session } from '../../api/session.ts';
import { route, setValues } from '../../router.ts';
import { Choices } from '../../ui/choices.tsx';
import { Empty } from '../../ui/feedback.tsx';
import { PageHead } from '../../ui/page.tsx';
import { Figures } from './figures.tsx';
import { LogLevel } from './log-level.tsx';
import { RequestTail } from './request-tail.tsx';

const SPANS = [
  { name: '60', title: 'One hour' },
  { name: '1440', title: 'One day' },
] as const;

export function LiveScreen() {
  const { minutes: given } = route.value.values;
  const minutes = given === '1440' ? given : '60';
  return (
    <>
      <PageHead title="Live">
        <Choices
          label="Time span"
          choices={SPANS}
          chosen={minutes}
          onChoose={(name) => setValues({ minutes: name })}
        />
      </PageHead>
      {may('control_plane::indexes::list') && <Figures minutes={minutes} />}
      {may('data_plane::vectors::read') ? (
        <RequestTail key={`${session.value?.principal.id} ${project.value?.id}`} />
      ) : (
        <Empty title="Your role does not see requests." />
      )}
      <LogLevel />
    </>
  );
}
