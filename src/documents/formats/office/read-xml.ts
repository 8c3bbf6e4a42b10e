// Reads a part of an archive as a stream of XML elements. Entities that the part defines are refused, never expanded.
import { Parser } from 'htmlparser2';
import type { ParseLimits } from '../../limits.ts';
import { refusal } from '../../refusal.ts';
import { decodeText } from '../../text/decode-text.ts';

export type XmlAttributes = Readonly<Record<string, string>>;

/** Receives elements by their local names (`a:t` is `t`); attributes keep their prefixes. */
export interface XmlVisitor {
  open?(name: string, attributes: XmlAttributes): void;
  text?(text: string): void;
  close?(name: string): void;
}

export type XmlLimits = Pick<ParseLimits, 'elementDepthMax'>;

/** @throws DocumentRefusal `corrupt` or `too-deep`; what the visitor throws */
export function readXml(bytes: Uint8Array, visitor: XmlVisitor, { elementDepthMax }: XmlLimits): void {
  let depth = 0;
  let elements = 0;
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        elements++;
        if (++depth > elementDepthMax) throw refusal('too-deep', { max: elementDepthMax });
        visitor.open?.(localName(name), attributes);
      },
      ontext: (text) => visitor.text?.(text),
      onclosetag: (name) => {
        depth--;
        visitor.close?.(localName(name));
      },
      onprocessinginstruction: (name, data) => {
        if (name.toUpperCase() === '!DOCTYPE' && data.includes('['))
          throw refusal('corrupt', { detail: 'its XML defines entities' });
      },
    },
    { xmlMode: true },
  );
  // Without `end`, which closes what is open: a part that ends within an element is incomplete.
  parser.write(decodeText(bytes, 'utf-8'));
  if (depth > 0 || elements === 0) throw refusal('corrupt', { detail: 'its XML is incomplete' });
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
