/** A progress line with the elapsed time, removed at the end. */
import { render } from './paint.ts';

export interface Progress extends Disposable {
  tell(text: string): void;
}

export interface Screen {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const frameMs = 100;
const clear = '\r\u001b[K';

export class ProgressLine {
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
