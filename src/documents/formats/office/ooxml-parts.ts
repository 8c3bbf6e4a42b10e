// Finds the parts of Office Open XML files by their relations (ECMA-376, part 2, "Relationships").
import { posix } from 'node:path';
import { refusal } from '../../refusal.ts';
import type { ZipArchive } from '../zip-archive.ts';
import { readXml, type XmlAttributes, type XmlLimits } from './read-xml.ts';

export interface Relation {
  /** The last segment of its type, such as `slide`. */
  readonly type: string;
  /** The name of the part in the archive. */
  readonly part: string;
}

/** The relations of a part by id, without those to other files. The archive itself has the name ''. */
export function relationsOf(
  archive: ZipArchive,
  part: string,
  limits: XmlLimits,
): ReadonlyMap<string, Relation> {
  const relations = new Map<string, Relation>();
  const name = posix.join(posix.dirname(part), '_rels', `${posix.basename(part)}.rels`);
  if (!archive.has(name)) return relations;
  const open = (element: string, { Id = '', Type = '', Target = '', TargetMode }: XmlAttributes) => {
    if (element !== 'Relationship' || TargetMode === 'External') return;
    const target = Target.startsWith('/')
      ? posix.normalize(Target.slice(1))
      : posix.join(posix.dirname(part), Target);
    relations.set(Id, { type: Type.slice(Type.lastIndexOf('/') + 1), part: target });
  };
  readXml(archive.read(name), { open }, limits);
  return relations;
}

/**
 * The name of the part that the file begins with.
 * @param fallback its usual name, for files without a relation
 * @throws DocumentRefusal `corrupt`
 */
export function mainPart(
  archive: ZipArchive,
  {
    fallback,
    kind,
    limits,
  }: { readonly fallback: string; readonly kind: string; readonly limits: XmlLimits },
): string {
  const relations = [...relationsOf(archive, '', limits).values()];
  const part = relations.find(({ type }) => type === 'officeDocument')?.part ?? fallback;
  if (part.startsWith(fallback.slice(0, fallback.indexOf('/') + 1)) && archive.has(part)) return part;
  throw refusal('corrupt', { detail: `it is a zip archive but not ${kind}` });
}

/** The id of a relation: the attribute `id` of another namespace than the element's. */
export function relationId(attributes: XmlAttributes): string {
  return Object.entries(attributes).find(([name]) => name.endsWith(':id'))?.[1] ?? '';
}
