// Writes parameter blocks: the arguments of a kernel call as fields in shared memory, which the kernel reads by their offsets.
import type { Address } from './kernel-types.ts';

interface Field {
  /** Byte offset in the block; a multiple of the field's size. */
  readonly at: number;
  readonly type: 'u32' | 'f32' | 'f64';
}

/** The fields of a block by name. */
export type BlockLayout<Name extends string> = Readonly<Record<Name, Field>>;

/** Writes all fields of a block at an address; i32 values are written as u32. */
export type BlockWriter<Name extends string> = (
  address: Address,
  values: Readonly<Record<Name, number>>,
) => void;

export function u32(at: number): Field {
  return { at, type: 'u32' };
}

export function f32(at: number): Field {
  return { at, type: 'f32' };
}

export function f64(at: number): Field {
  return { at, type: 'f64' };
}

/** Returns a view of a memory that covers at least the first `end` bytes. */
export type ViewUpTo = (end: Address) => DataView;

/** Reuses one view of a memory for as long as it is long enough: to get the buffer takes longer than to write a field. */
export function viewOf(memory: WebAssembly.Memory): ViewUpTo {
  let view = new DataView(memory.buffer);
  return (end) => {
    if (view.byteLength >= end) return view;
    // Where another thread has grown the memory, only growing it shows this thread its whole length.
    memory.grow(0);
    view = new DataView(memory.buffer);
    return view;
  };
}

/** The writer of blocks of one layout. */
export function blockWriter<Name extends string>(
  viewUpTo: ViewUpTo,
  layout: BlockLayout<Name>,
): BlockWriter<Name> {
  const fields: (Field & { readonly name: Name })[] = [];
  for (const name in layout) fields.push({ name, ...layout[name] });
  const bytes = Math.max(...fields.map(({ at }) => at)) + Float64Array.BYTES_PER_ELEMENT;
  return (address, values) => {
    const view = viewUpTo(address + bytes);
    for (const { name, at, type } of fields) {
      if (type === 'u32') view.setUint32(address + at, values[name], true);
      else if (type === 'f32') view.setFloat32(address + at, values[name], true);
      else view.setFloat64(address + at, values[name], true);
    }
  };
}
