// Responses with one index.
import type { Index } from '../../../domain/index-model.ts';
import type { ControlCall, Reply } from '../../endpoint.ts';
import { indexToWire } from './index-wire.ts';

export function indexReply(status: number, index: Index, { version, services }: ControlCall): Reply {
  return { status, body: indexToWire(index, services.indexes.hostOf(index), version) };
}

/** The `index_name` of the path, which the router guarantees. */
export function indexName({ params }: ControlCall): string {
  return params.index_name ?? '';
}
