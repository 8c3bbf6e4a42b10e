// The type of administration endpoints: their description, the permission they require, and one handler.
import type { AdministrationStore } from '../../../catalog/port.ts';
import type { OrganizationAccess } from '../../../domain/access.ts';
import type { Actor } from '../../../domain/administration/audit.ts';
import type { Invite } from '../../../domain/administration/model.ts';
import type { Position } from '../../../domain/administration/pages.ts';
import type { Permission } from '../../../domain/administration/permissions.ts';
import type { RequestedVersion } from '../../../domain/api-version.ts';
import type { LogControl } from '../../../domain/log-level.ts';
import type { NodeAdministration } from '../../../domain/nodes/services.ts';
import type { QuotaAdministration } from '../../../domain/quotas.ts';
import type { EndpointDetails, QueryValues, Reply } from '../../endpoint.ts';

export interface AdminServices {
  readonly administration: AdministrationStore;
  readonly cursors: {
    seal(position: Position, boundTo: string): string;
    open(token: string | undefined, boundTo: string): Position | null;
  };
  readonly invites: {
    linkOf(invite: Invite): string;
    send(invite: Invite): Promise<void>;
  };
  readonly quotas: QuotaAdministration;
  readonly nodes: NodeAdministration;
  readonly log: LogControl;
  now(): Date;
}

export interface AdminCall {
  readonly access: OrganizationAccess;
  readonly actor: Actor;
  readonly requestId: string;
  readonly version: RequestedVersion;
  readonly params: Readonly<Record<string, string>>;
  readonly query: QueryValues;
  readonly body: unknown;
  readonly bodyText: string;
  readonly services: AdminServices;
}

export interface AdminEndpoint extends EndpointDetails {
  readonly permission: Permission | null;
  readonly scope: 'organization' | 'anywhere';
  readonly handle: (call: AdminCall) => Promise<Reply>;
}
