// The part of the WebAssembly interface this project uses; TypeScript declares it only with the browser's types.
declare namespace WebAssembly {
  class Memory {
    constructor(descriptor: { readonly initial: number; readonly maximum: number; readonly shared: true });
    readonly buffer: SharedArrayBuffer;
    /** Grows by 64 KiB pages and answers the former count of pages. @throws RangeError */
    grow(pages: number): number;
  }
  class Module {
    constructor(bytes: Uint8Array);
  }
  interface Imports {
    readonly env: Readonly<Record<string, Memory | ((...numbers: number[]) => number)>>;
  }
  /** `Exports` describes the module's source in its assembly folder; nothing else knows the types. */
  class Instance<Exports> {
    constructor(module: Module, imports: Imports);
    readonly exports: Exports;
  }
  function validate(bytes: Uint8Array): boolean;
}
