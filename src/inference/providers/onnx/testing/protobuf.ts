// Encodes the subset of Protocol Buffers that ONNX files need.

const VARINT = 0;
const BYTES = 2;

/** One field of a message. */
export type Field = readonly [number: number, value: number | string | Buffer];

export function message(...fields: readonly Field[]): Buffer {
  return Buffer.concat(
    fields.flatMap(([number, value]) => {
      if (typeof value === 'number') return [varint(number * 8 + VARINT), varint(value)];
      const bytes = typeof value === 'string' ? Buffer.from(value) : value;
      return [varint(number * 8 + BYTES), varint(bytes.length), bytes];
    }),
  );
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 127) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  return Buffer.from([...bytes, rest]);
}
