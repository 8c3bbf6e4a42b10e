// What a page shows instead of its content: that it loads, that there is nothing, or what went wrong.
import type { ComponentChildren } from 'preact';
import type { Problem } from '../api/problem.ts';
import type { Resource } from './resource.ts';

export function Loading({ rows = 4 }: { readonly rows?: number }) {
  return (
    <div class="loading" role="status">
      <span class="unseen">Loading</span>
      {Array.from({ length: rows }, (_, at) => (
        <div class="loading-row" key={at} />
      ))}
    </div>
  );
}

export function ErrorBox({
  problem,
  retry,
  children,
}: {
  readonly problem: Problem | undefined;
  readonly retry?: () => void;
  /** What is done about it. */
  readonly children?: ComponentChildren;
}) {
  if (problem === undefined) return null;
  return (
    <div class="error-box" role="alert">
      <p>{problem.message}</p>
      {children}
      {problem.requestId !== '' && (
        <p class="quiet">
          Request <code>{problem.requestId}</code>
        </p>
      )}
      {retry !== undefined && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

/** The value of a resource once there is one, below why it could not be read again; before, that it loads or failed. */
export function Shown<Value>({
  of: resource,
  children,
}: {
  readonly of: Resource<Value>;
  readonly children: (value: Value) => ComponentChildren;
}) {
  const { value, problem, reload } = resource;
  if (value === undefined && problem === undefined) return <Loading />;
  return (
    <>
      <ErrorBox problem={problem} retry={reload} />
      {value !== undefined && children(value)}
    </>
  );
}
