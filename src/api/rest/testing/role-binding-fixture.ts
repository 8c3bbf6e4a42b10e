// A project and a service account for tests of role bindings, and the calls that these make again and again.
import type { QueryValues } from '../../endpoint.ts';
import { createProject } from '../admin/create-project.ts';
import { createRoleBinding } from '../admin/create-role-binding.ts';
import { listRoleBindings } from '../admin/list-role-bindings.ts';
import { AdminSurface, type Someone } from './admin-client.ts';

export interface BindingBody {
  readonly id: string;
  readonly principal_type: string;
  readonly principal_id: string;
  readonly resource_type: string;
  readonly resource_id: string;
  readonly role: string;
  readonly created_at: string;
}

export class RoleBindingFixture {
  readonly surface: AdminSurface;
  readonly project: string;
  readonly robot: Someone;

  private constructor(surface: AdminSurface, { project, robot }: { project: string; robot: Someone }) {
    this.surface = surface;
    this.project = project;
    this.robot = robot;
  }

  static async make(): Promise<RoleBindingFixture> {
    const surface = await AdminSurface.make();
    const { id } = await surface.body<BindingBody>(createProject, { body: { name: 'Project' } });
    return new RoleBindingFixture(surface, { project: id, robot: await surface.someone() });
  }

  /** The body of a request to grant the robot a role on the project, unless `part` says otherwise. */
  requested(part: object = {}) {
    return {
      principal_type: 'service_account',
      principal_id: this.robot.principal.id,
      resource_type: 'project',
      resource_id: this.project,
      role: 'ProjectViewer',
      ...part,
    };
  }

  bind(part: object = {}): Promise<BindingBody> {
    return this.surface.body(createRoleBinding, { body: this.requested(part) });
  }

  async listed(query: QueryValues, as = this.surface.owner): Promise<readonly BindingBody[]> {
    return (await this.surface.body<{ data: BindingBody[] }>(listRoleBindings, { as, query })).data;
  }
}
