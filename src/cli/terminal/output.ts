/** Output of commands: text for people, or one JSON value a line with `--json`. */
import { type Part, paint, plain, printable, render } from './paint.ts';

/** A progress line with the elapsed time, removed at the end. */
interface Progress extends Disposable {
  tell(text: string): void;
}

interface Screen {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const frameMs = 100;
const clear = '\r\u001b[K';

class ProgressLine {
  readonly #screen: Screen;
  readonly #on: boolean;
  readonly #colours: boolean;
  #text: string | null = null;
  #since = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(screen: Screen, on: boolean, colours: boolean) {
    this.#screen = screen;
    this.#on = on;
    this.#colours = colours;
  }

  begin(text: string): Progress {
    const end = (): void => {
      clearInterval(this.#timer);
      if (this.#text !== null) this.#screen.write(clear);
      this.#text = null;
    };
    const tell = (next: string): void => {
      if (!this.#on) return;
      this.#text = next;
      this.#draw();
    };
    if (this.#on) {
      clearInterval(this.#timer);
      this.#since = performance.now();
      this.#timer = setInterval(() => this.#draw(), frameMs).unref();
    }
    tell(text);
    return { tell, [Symbol.dispose]: end };
  }

  aside(write: () => void): void {
    if (this.#text === null) return write();
    this.#screen.write(clear);
    write();
    this.#draw();
  }

  #draw(): void {
    if (this.#text === null) return;
    const ms = performance.now() - this.#since;
    const seconds = ms < 1000 ? '' : ` ${Math.floor(ms / 1000)} s`;
    // A wrapped line could not be cleared.
    const room = (this.#screen.columns ?? 80) - seconds.length - 3;
    const parts = [`${frames[Math.floor(ms / frameMs) % frames.length]} ${this.#text.slice(0, room)}`];
    const line = render([...parts, { style: 'faint', text: seconds }], this.#colours);
    this.#screen.write(`${clear}${line}`);
  }
}

export interface Output {
  readonly json: boolean;
  readonly interactive: boolean;
  line(...parts: readonly Part[]): void;
  /** Like `line`, but replaces the previous drawing if nothing was printed since. */
  draw(text: string): void;
  /** JSON for programs; nothing without `--json`. */
  value(value: unknown): void;
  /** On standard error, with and without `--json`. */
  note(...parts: readonly Part[]): void;
  progress(text: string): Progress;
}

export interface Streams {
  readonly stdout: Screen;
  readonly stderr: Screen;
}

export interface OutputOptions {
  readonly json: boolean;
  readonly colours: boolean | null;
}

const hasColours = (stream: Screen, { json, colours }: OutputOptions): boolean =>
  !json && (colours ?? stream.isTTY === true);

export const makeOutput = ({ stdout, stderr }: Streams, options: OutputOptions): Output => {
  const { json } = options;
  const colours = { stdout: hasColours(stdout, options), stderr: hasColours(stderr, options) };
  const progress = new ProgressLine(stderr, !json && stderr.isTTY === true, colours.stderr);
  /** Lines of the last drawing that are still at the end of the terminal. */
  let drawn = 0;
  const write = (text: string): void => progress.aside(() => stdout.write(text));
  return {
    json,
    interactive: !json && stdout.isTTY === true,
    line: (...parts) => {
      if (json) return;
      drawn = 0;
      write(`${render(parts, colours.stdout)}\n`);
    },
    draw: (text) => {
      if (json) return;
      const lines = text.split('\n').length;
      const again = drawn > 0 && stdout.isTTY === true && drawn < (stdout.rows ?? 0);
      write(`${again ? `\u001b[${drawn}A\u001b[J` : ''}${printable(text)}\n`);
      drawn = lines;
    },
    value: (value) => {
      if (json) stdout.write(`${JSON.stringify(value)}\n`);
    },
    note: (...parts) => {
      drawn = 0;
      progress.aside(() => stderr.write(`${render(parts, colours.stderr)}\n`));
    },
    progress: (text) => progress.begin(text),
  };
};

export const table = (head: readonly string[], rows: readonly (readonly Part[])[]): readonly Part[] => {
  const all = [head.map((cell) => paint('strong', cell)), ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => plain(row[column] ?? '').length)));
  return all.flatMap((row, index) => {
    const last = row.findLastIndex((cell) => plain(cell) !== '');
    const cells = row.slice(0, last + 1).flatMap((cell, column) => {
      const pad = column === last ? '' : ' '.repeat(widths[column]! - plain(cell).length + 2);
      return [cell, pad];
    });
    return index === 0 ? cells : ['\n', ...cells];
  });
};

export const fields = (entries: readonly (readonly [string, Part | number | null])[]): readonly Part[] => {
  const shown = entries.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
  const width = Math.max(...shown.map(([name]) => name.length));
  return shown.flatMap(([name, value], index) => [
    index === 0 ? '' : '\n',
    paint('faint', `${name}:`.padEnd(width + 1)),
    ' ',
    typeof value === 'number' ? String(value) : value,
  ]);
};

export const bytesOf = (bytes: number): string => {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
};
