// A line of the log as people read it: time, level, message, and the fields behind them.

const TIME = /T(\d\d:\d\d:\d\d\.\d{3})Z$/;
const LEVEL_WIDTH = 5;
/** Control characters of callers' texts would act on the terminal. */
const CONTROL = /\p{Cc}/gu;

/** @param json one line of the log @returns the line, with the stack of an error on lines of its own */
export function logText(json: string): string {
  const { time = '', level = '', msg = '', err, ...fields } = JSON.parse(json) as Record<string, unknown>;
  const [, clock = String(time)] = TIME.exec(String(time)) ?? [];
  const shown = Object.entries(fields)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => ` ${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('')
    .replaceAll(CONTROL, '?');
  const head = `${clock} ${String(level).toUpperCase().padEnd(LEVEL_WIDTH)} ${String(msg).replaceAll(CONTROL, '?')}`;
  return `${head}${shown}\n${stackText(err)}`;
}

function stackText(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const { stack, message } = error as { readonly stack?: string; readonly message?: string };
  return `  ${(stack ?? message ?? '').replaceAll('\n', '\n  ')}\n`;
}
