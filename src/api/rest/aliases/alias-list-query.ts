// The query of a list of aliases, and its page tokens.
import { Buffer } from 'node:buffer';
import { checkTarget } from '../../../domain/aliases/alias-model.ts';
import type { AliasPage } from '../../../domain/aliases/services.ts';
import { fault, invalid } from '../../../domain/faults.ts';
import {
  ALIAS_NAME_CHARS_MAX,
  LIST_LIMIT_DEFAULT,
  LIST_LIMIT_MAX,
  LIST_LIMIT_MIN,
} from '../../../domain/limits.ts';
import type { QueryValues } from '../../endpoint.ts';
import { queryString } from '../records/request-fields.ts';

const KEYS = ['limit', 'paginationToken', 'pagination_token', 'prefix', 'target_namespace'];
const ASCII = /^\p{ASCII}*$/u;

/** @throws invalid-argument for an unknown parameter, and the faults of aliases' lists */
export function readAliasPage(query: QueryValues, indexId: string): AliasPage {
  const unknown = Object.keys(query).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) {
    throw invalid(`unexpected parameter '${unknown.slice(0, ALIAS_NAME_CHARS_MAX)}'`);
  }
  const listing = {
    prefix: readPrefix(queryString(query, 'prefix') ?? ''),
    target: readTarget(queryString(query, 'target_namespace')),
    limit: readLimit(queryString(query, 'limit')),
  };
  const token = queryString(query, 'paginationToken');
  const isFirst = token === undefined || token === '';
  return { ...listing, after: isFirst ? null : readAfter(token, listing, indexId) };
}

/** The token of the page after `next`. It holds its listing, so that a token of another listing gets its own reason. */
export function aliasPageToken(next: string, { prefix, target }: AliasPage, indexId: string): string {
  return Buffer.from(JSON.stringify([indexId, prefix, target ?? null, next])).toString('base64url');
}

function readPrefix(prefix: string): string {
  if (prefix.length > ALIAS_NAME_CHARS_MAX) throw fault('alias-list-prefix-too-long');
  if (prefix.includes('\0')) throw fault('alias-list-prefix-nul');
  if (!ASCII.test(prefix)) throw fault('alias-list-prefix-not-ascii');
  return prefix;
}

function readTarget(target: string | undefined): string | undefined {
  if (target === '') throw fault('alias-list-target-empty');
  return target === undefined ? undefined : checkTarget(target);
}

function readLimit(text: string | undefined): number {
  if (text === undefined) return LIST_LIMIT_DEFAULT;
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (limit < LIST_LIMIT_MIN || limit > LIST_LIMIT_MAX) throw fault('alias-list-limit');
  return limit;
}

function readAfter(token: string, listing: Omit<AliasPage, 'after'>, indexId: string): string {
  const [index, prefix, target, after] = partsOf(token);
  if (index !== indexId || typeof after !== 'string') throw fault('alias-list-token');
  if (prefix !== listing.prefix) throw fault('alias-list-token-new-prefix');
  if (target !== (listing.target ?? null)) throw fault('alias-list-token-new-target');
  return after;
}

function partsOf(token: string): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
    return Array.isArray(parts) ? parts : [];
  } catch {
    return [];
  }
}
