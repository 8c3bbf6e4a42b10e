// Counts calls of MCP tools by project, tool and outcome.
import { setBounded } from '../../platform/bounded-map.ts';

const MILLISECONDS_PER_SECOND = 1_000;
/** Beyond it, the longest known project is forgotten: deleted ones must not pile up. */
const PROJECTS_MAX = 10_000;

export interface ToolCallCount {
  readonly projectId: string;
  readonly tool: string;
  /** `ok`; `refused`: the caller's mistake or missing right; `failed`: the service's. */
  readonly outcome: string;
  readonly calls: number;
  readonly seconds: number;
}

export interface CountedCall {
  /** One of a fixed set of names. */
  readonly tool: string;
  readonly outcome: string;
  readonly milliseconds: number;
}

export class McpMeter {
  readonly #projects = new Map<string, Map<string, ToolCallCount>>();

  add(projectId: string, { tool, outcome, milliseconds }: CountedCall): void {
    const counts = this.#projects.get(projectId) ?? this.#addProject(projectId);
    const key = `${tool} ${outcome}`;
    const { calls = 0, seconds = 0 } = counts.get(key) ?? {};
    const more = seconds + milliseconds / MILLISECONDS_PER_SECOND;
    counts.set(key, { projectId, tool, outcome, calls: calls + 1, seconds: more });
  }

  /** @param projectId null for all projects */
  counts(projectId: string | null): readonly ToolCallCount[] {
    const projects = projectId === null ? [...this.#projects.values()] : [this.#projects.get(projectId)];
    return projects.flatMap((counts) => [...(counts?.values() ?? [])]);
  }

  #addProject(projectId: string): Map<string, ToolCallCount> {
    const added = new Map<string, ToolCallCount>();
    setBounded(this.#projects, projectId, added, PROJECTS_MAX);
    return added;
  }
}
