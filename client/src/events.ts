/** The event stream of a device. It reconnects automatically and resumes without a gap. */
import { HandsetError } from './errors.ts';
import { pause } from './retry.ts';
import type { HandsetEvent } from './types.ts';

export interface EventStreamOptions {
  /** ID of the last event that you have processed; without it, the stream starts with new events. */
  readonly after?: string | undefined;
  /** Only events of these kinds. */
  readonly types?: readonly HandsetEvent['type'][] | undefined;
  readonly signal?: AbortSignal | undefined;
}

type Open = (headers: Record<string, string>, signal: AbortSignal) => Promise<Response>;

/** The service sends a keep-alive every 15 s; a longer silence means that the connection is dead. */
const silenceMs = 45_000;
const firstDelayMs = 500;
const lastDelayMs = 30_000;

interface Block {
  /** A block with only an ID marks the position of the stream. */
  readonly id: string | null;
  readonly data: string | null;
}

const blockOf = (text: string): Block => {
  let id: string | null = null;
  const data: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('id:')) id = line.slice(3).trim();
    if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
  }
  return { id, data: data.length === 0 ? null : data.join('\n') };
};

/** The blocks of a server-sent event stream; throws if the stream is silent for too long. */
const blocksOf = async function* (response: Response): AsyncGenerator<Block> {
  const reader = response.body!.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (;;) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const silence = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error('The event stream is silent')), silenceMs);
      });
      const { value, done } = await Promise.race([reader.read(), silence]).finally(() => clearTimeout(timer));
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const blocks = text.split(/\r?\n\r?\n/);
      text = blocks.pop() ?? '';
      for (const block of blocks) yield blockOf(block);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
};

/** Whether a retry cannot change the response. */
const isFinal = (status: number): boolean => status < 500 && status !== 408 && status !== 429;

/**
 * Yields every event once and in order. Ends when `signal` is aborted; throws HandsetError when the service rejects the
 * request, for example because the key was revoked or the device deleted.
 */
export const eventStream = async function* (open: Open, options: EventStreamOptions): AsyncGenerator<HandsetEvent> {
  const own = new AbortController();
  const signal = options.signal === undefined ? own.signal : AbortSignal.any([options.signal, own.signal]);
  let last = options.after;
  let failures = 0;
  const connect = async function* (): AsyncGenerator<HandsetEvent> {
    const resume: Record<string, string> = last === undefined ? {} : { 'last-event-id': last };
    const response = await open({ accept: 'text/event-stream', ...resume }, signal);
    if (!response.ok) throw new HandsetError(response, await response.json().catch(() => null));
    failures = 0;
    for await (const { id, data } of blocksOf(response)) {
      last = id ?? last;
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the API defines the type
      if (data !== null) yield JSON.parse(data) as HandsetEvent;
    }
  };
  try {
    while (!signal.aborted) {
      let wait = 0;
      try {
        yield* connect();
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof HandsetError && isFinal(error.status)) throw error;
        wait = error instanceof HandsetError ? (error.retryAfterMs ?? 0) : 0;
      }
      failures += 1;
      const delay = Math.min(firstDelayMs * 2 ** (failures - 1), lastDelayMs);
      await pause(Math.max(wait, delay) * (0.75 + Math.random() / 2), signal).catch(() => undefined);
    }
  } finally {
    own.abort();
  }
};
