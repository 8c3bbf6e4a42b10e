// A stand-in for what a test must not touch.

/** A service whose every use fails with its name. */
export function untouched<Service extends object>(): Service {
  return new Proxy({} as Service, {
    get: (_, name) => {
      throw new Error(`the test did not expect ${String(name)}`);
    },
  });
}
