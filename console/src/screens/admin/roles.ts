// The roles with what they allow, in words.
import {
  API_KEY_ROLES,
  ORGANIZATION_ROLES,
  PROJECT_ROLES,
  type Role,
} from '../../../../src/domain/administration/roles.ts';
import type { Choice } from '../../ui/field.tsx';

const ALLOWED: Readonly<Record<Role, string>> = {
  OrgOwner: 'everything, in every project',
  OrgManager: 'create projects and own those',
  OrgMember: 'see the organization',
  OrgBillingAdmin: 'see the organization',
  ProjectOwner: 'everything in the project',
  ProjectManager: 'indexes and records; see keys and members',
  ProjectMember: 'see settings, keys and members',
  ProjectEditor: 'everything with indexes and records',
  ProjectViewer: 'read and search',
  ControlPlaneEditor: 'create, change and delete indexes',
  ControlPlaneViewer: 'list and describe indexes',
  DataPlaneEditor: 'read, search and write records',
  DataPlaneViewer: 'read and search records',
};

export const KEY_ROLE_CHOICES = API_KEY_ROLES.map(choiceOf);
export const PROJECT_ROLE_CHOICES = PROJECT_ROLES.map(choiceOf);
export const ORGANIZATION_ROLE_CHOICES = ORGANIZATION_ROLES.map(choiceOf);

function choiceOf(role: Role): Choice & { readonly value: Role } {
  return { value: role, text: `${role}: ${ALLOWED[role]}` };
}
