// Audit entries: who did what to which resource, and when.
import type { PrincipalType } from './model.ts';

/** Who acted. `anonymous` stands for a missing or wrong credential, `system` for the server itself. */
export interface Actor {
  readonly type: PrincipalType | 'anonymous' | 'system';
  /** Empty when there is no id to name. */
  readonly id: string;
  /** Id of the request that caused it; null when none did. */
  readonly requestId: string | null;
}

export const SYSTEM: Actor = { type: 'system', id: '', requestId: null };

export type AuditOutcome = 'allowed' | 'denied';

export interface AuditEntry {
  readonly id: string;
  readonly organizationId: string;
  readonly at: string;
  readonly actor: Actor;
  /** `resource.verb`, as in `api_key.create`; for a denied access, the endpoint's id. */
  readonly action: string;
  readonly resourceType: string;
  /** Empty where the action has no resource yet. */
  readonly resourceId: string;
  readonly outcome: AuditOutcome;
  /** Names, roles and the like; never a secret. */
  readonly details: Readonly<Record<string, unknown>>;
  /** Denials that differ only in their request share one entry per second; this is their number. */
  readonly count: number;
}

/** The part of an audit entry that a change provides. */
export interface AuditDetails
  extends Pick<AuditEntry, 'organizationId' | 'action' | 'resourceType' | 'resourceId'> {
  readonly details?: AuditEntry['details'];
}
