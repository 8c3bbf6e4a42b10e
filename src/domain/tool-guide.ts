// What people read of the tools for language models: which there are, and whether the server offers those that write.
import type { Permission } from './administration/permissions.ts';

export interface ToolSummary {
  readonly name: string;
  readonly title: string;
  /** `destructive` tools remove or replace data. */
  readonly effect: 'read' | 'write' | 'destructive';
  /** Callers without it do not see the tool. */
  readonly permission: Permission;
}

export interface ToolGuide {
  /** `read`: tools that write are not offered; `off`: none are. */
  readonly mode: 'read' | 'write' | 'off';
  /** For everything in a project. */
  readonly tools: readonly ToolSummary[];
  /** For one assistant alone. */
  readonly assistantTools: readonly ToolSummary[];
}
