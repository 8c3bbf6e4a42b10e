// Kinds of the settings of an OpenID provider: issuer, rules from groups to roles, and who is admitted.
import type { Admission, GroupRole } from '../../domain/administration/provider-sign-in.ts';
import { isOrganizationRole, isProjectRole } from '../../domain/administration/roles.ts';
import { BadValue, hostName, type SettingKind } from '../setting-kinds.ts';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

export const issuer: SettingKind<string> = {
  form: 'https://…, or http:// for a provider on this machine',
  read: (value) => {
    const url = URL.canParse(value) ? new URL(value) : null;
    const isBare = url?.search === '' && url.hash === '' && url.username === '';
    const isProtected =
      url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname));
    if (!isBare || !isProtected) {
      throw new BadValue('must be a URL like https://login.example.org; http is for loopback addresses only');
    }
    return value;
  },
};

/** `GROUP=Role` or `GROUP=Role@PROJECT`; what a list would break is percent-encoded. */
export const groupRoles: SettingKind<readonly GroupRole[]> = {
  form: 'list of GROUP=Role or GROUP=Role@PROJECT, separated by commas',
  read: (value) => value.split(',').map((entry) => readGroupRole(entry.trim())),
};

function readGroupRole(entry: string): GroupRole {
  const [, group, role = '', project] = /^([^=]+)=(\w+)(?:@(.+))?$/.exec(entry) ?? [];
  const isOfOrganization = isOrganizationRole(role) && project === undefined;
  if (group === undefined || !(isOfOrganization || (isProjectRole(role) && project !== undefined))) {
    throw new BadValue(
      'must be a list like admins=OrgOwner,search-team=ProjectEditor@books: roles of projects name a project, others none',
    );
  }
  if (!isOrganizationRole(role) && !isProjectRole(role))
    throw new BadValue('must name roles of this product');
  return { group: decoded(group), role, project: project === undefined ? null : decoded(project) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new BadValue('must not have a percent sign that encodes nothing; %25 stands for one');
  }
}

export const admission: SettingKind<Admission> = {
  form: 'list of invite, group, domain:NAME, separated by commas',
  read: (value) => {
    const ways = value.split(',').map((each) => each.trim());
    const domains = ways.flatMap((way) => (way.startsWith('domain:') ? [hostName.read(way.slice(7))] : []));
    if (ways.some((way) => way !== 'invite' && way !== 'group' && !way.startsWith('domain:'))) {
      throw new BadValue('must be a list like invite,group,domain:example.org');
    }
    return { invite: ways.includes('invite'), group: ways.includes('group'), domains };
  },
};
