// A tool that language models call: its schema and guide as data, and one function that asks the service as the caller.
import type { Static, TObject } from '../api/schema/type.ts';
import type { Permission } from '../domain/administration/permissions.ts';
import type { JsonObject } from '../domain/json.ts';

/** A request to the service's HTTP interface. */
export interface ToolRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** On the base address, with its query. */
  readonly path: string;
  readonly body?: unknown;
  /** In place of body: one JSON text per line. */
  readonly lines?: readonly unknown[];
}

/** Sends a request with the caller's key. @throws ToolError if it is refused */
export type Ask = (request: ToolRequest) => Promise<JsonObject>;

export interface ToolGuide {
  /** In snake_case; unique. */
  readonly name: string;
  readonly title: string;
  /** For a language model: what it does, when to use it, an example, its limits. */
  readonly description: string;
  /** `destructive` tools remove or replace data. */
  readonly effect: 'read' | 'write' | 'destructive';
  /** Callers without it do not see the tool. */
  readonly permission: Permission;
  /** What to do when it does not find what it was asked about; by default, to list the names that exist. */
  readonly notFoundAdvice?: string;
}

export interface Tool extends ToolGuide {
  readonly input: TObject;
  /** Takes arguments that match the schema. @throws ToolError */
  readonly call: (args: JsonObject, ask: Ask) => Promise<JsonObject>;
}

/** What a language model reads when a call fails: what is wrong and what to do instead. */
export class ToolError extends Error {
  /** The status of the refused request; null where none was sent. */
  readonly status: number | null;

  constructor(message: string, status: number | null = null) {
    super(message);
    this.name = 'ToolError';
    this.status = status;
  }
}

/** A tool whose function gets its arguments typed by the schema. */
export function tool<Input extends TObject>(
  guide: ToolGuide & { readonly input: Input },
  call: (args: Static<Input>, ask: Ask) => Promise<JsonObject>,
): Tool {
  // The caller of a tool has checked the arguments against its schema.
  return { ...guide, call: (args, ask) => call(args as Static<Input>, ask) };
}
