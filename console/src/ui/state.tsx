// The state of something, with a dot in the color of its kind.

const GOOD: ReadonlySet<string> = new Set([
  'Ready',
  'Completed',
  'Available',
  'Successful',
  'Active',
  'active',
  'accepted',
]);
const BUSY: ReadonlySet<string> = new Set([
  'Initializing',
  'Pending',
  'Running',
  'InProgress',
  'Processing',
  'Deleting',
  'Undoing',
  'ScalingUp',
  'ScalingDown',
  'Terminating',
  'pending',
]);

export function isBusy(state: string): boolean {
  return BUSY.has(state);
}

export function State({ name }: { readonly name: string }) {
  const kind = GOOD.has(name) ? 'good' : isBusy(name) ? 'busy' : 'bad';
  return <span class={`state ${kind}`}>{name}</span>;
}
