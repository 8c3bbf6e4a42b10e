// A part of the console that is loaded when it is first shown.
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { asProblem, type Problem } from '../api/problem.ts';
import { ErrorBox, Loading } from './feedback.tsx';

export type Load<Props> = () => Promise<ComponentType<Props>>;

interface LazyProps<Props> {
  readonly load: Load<Props>;
  readonly props: Props;
}

export function Lazy<Props extends object>({ load, props }: LazyProps<Props>) {
  const [component, setComponent] = useState<{ readonly View: ComponentType<Props> }>();
  const [problem, setProblem] = useState<Problem>();
  useEffect(() => {
    load().then(
      (View) => setComponent({ View }),
      (error: unknown) => setProblem(asProblem(error)),
    );
  }, []);
  if (problem !== undefined) return <ErrorBox problem={problem} retry={() => location.reload()} />;
  return component === undefined ? <Loading /> : <component.View {...props} />;
}
