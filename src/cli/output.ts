/** What commands print: text for people, or with `--json` one JSON value a line for programs. */

export interface Output {
  readonly json: boolean;
  /** For people; nothing with `--json`. */
  line(text: string): void;
  /** For programs; nothing without `--json`. */
  value(value: unknown): void;
  /** Beside the result: to standard error, with and without `--json`. */
  note(text: string): void;
}

export interface Streams {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

/** What another machine wrote may carry escape sequences: a terminal must not obey them. */
export const printable = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- control characters are what it removes
  text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, '\ufffd');

export const makeOutput = (streams: Streams, json: boolean): Output => ({
  json,
  line: (text) => {
    if (!json) streams.stdout.write(`${printable(text)}\n`);
  },
  value: (value) => {
    if (json) streams.stdout.write(`${JSON.stringify(value)}\n`);
  },
  note: (text) => {
    streams.stderr.write(`${printable(text)}\n`);
  },
});

/** Columns as wide as their widest cell; the last one is not padded. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  return all
    .map((row) => row.map((cell, column) => cell.padEnd(column === head.length - 1 ? 0 : widths[column]!)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n');
};

/** `name: value` lines, aligned; what is null is left out. */
export const fields = (entries: readonly (readonly [string, string | number | null])[]): string => {
  const shown = entries.filter(([, value]) => value !== null);
  const width = Math.max(...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `${`${name}:`.padEnd(width + 1)} ${value}`).join('\n');
};
