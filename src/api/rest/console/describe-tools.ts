// GET /console/mcp: the tools for language models, with the roles of keys that see each.
import { API_KEY_ROLES, ROLE_PERMISSIONS } from '../../../domain/administration/roles.ts';
import type { ToolSummary } from '../../../domain/tool-guide.ts';
import type { ControlCall, ControlEndpoint, Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { choice } from '../indexes/body-parts.ts';
import { NO_STORE } from './session-wire.ts';

async function handle({ services: { tools: guide } }: ControlCall): Promise<Reply> {
  const { mode, tools, assistantTools } = guide;
  const shown = (all: readonly ToolSummary[]) => all.map((tool) => toolToWire(tool, mode));
  return {
    status: 200,
    headers: NO_STORE,
    body: { mode, tools: shown(tools), assistant_tools: shown(assistantTools) },
  };
}

function toolToWire({ name, title, effect, permission }: ToolSummary, mode: string): object {
  return {
    name,
    title,
    effect,
    offered: mode === 'write' || (mode === 'read' && effect === 'read'),
    roles: API_KEY_ROLES.filter((role) => ROLE_PERMISSIONS[role].includes(permission)),
  };
}

const Tools = (description: string) =>
  Type.Array(
    Type.Object({
      name: Type.String({ examples: ['search'] }),
      title: Type.String({ examples: ['Search records'] }),
      effect: choice(['read', 'write', 'destructive'], '`destructive` tools remove or replace data.'),
      offered: Type.Boolean({ description: 'False where `PINYON_MCP` leaves the tool out.' }),
      roles: Type.Array(choice(API_KEY_ROLES), { description: 'The roles of keys that see the tool.' }),
    }),
    { description },
  );

export const describeTools: ControlEndpoint = {
  id: 'describe_mcp_tools',
  method: 'GET',
  path: '/console/mcp',
  tag: 'Console',
  summary: 'Describe the tools for language models',
  description:
    'What `/mcp` and `/mcp/assistants/{assistant_name}` offer, and to keys of which roles. An extension of this server.',
  since: '2026-07',
  permission: 'control_plane::indexes::describe',
  errors: 'standard',
  success: {
    status: 200,
    description: 'The tools.',
    schema: Type.Object({
      mode: choice(['read', 'write', 'off'], 'As `PINYON_MCP` says.'),
      tools: Tools('For everything in a project.'),
      assistant_tools: Tools('For one assistant alone.'),
    }),
  },
  faults: [],
  handle,
};
