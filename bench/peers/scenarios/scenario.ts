// What a scenario is given and what it brings.
import type { Plan } from '../plan.ts';
import type { Cells } from '../support/cells.ts';
import type { Outcome } from './row.ts';

export interface Bench {
  readonly plan: Plan;
  /** What is measured goes here at once, and is not measured again when the run is resumed. */
  readonly cells: Cells;
}

export type Scenario = (bench: Bench) => Promise<Outcome>;

/** A scenario that is short enough to be done anew when it was not done to its end. */
export function whole(name: string, scenario: (plan: Plan) => Promise<Outcome>): Scenario {
  return ({ plan, cells }) => cells.take(`outcome ${name}`, () => scenario(plan));
}
