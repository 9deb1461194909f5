/** The events of a device as they happen: a stream that comes back by itself, and leaves nothing out in between. */
import { HandsetError } from './errors.ts';
import { pause } from './retry.ts';
import type { HandsetEvent } from './types.ts';

export interface EventStreamOptions {
  /** Id of the last event that you have; without it the stream begins with what happens from now on. */
  readonly after?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

type Open = (headers: Record<string, string>, signal: AbortSignal) => Promise<Response>;

/** The service says something every 15 s: longer silence is a dead connection. */
const silenceMs = 45_000;
const firstDelayMs = 500;
const lastDelayMs = 30_000;

interface Block {
  /** `id:` alone, without data, says where the stream stands. */
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

/** Blocks of a stream of server-sent events; throws when nothing came for too long. */
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

/** Whether the service may say otherwise in a moment. */
const isFinal = (status: number): boolean => status < 500 && status !== 408 && status !== 429;

/**
 * Every event once and in order. Ends when `signal` is aborted; throws HandsetError when the service refuses: the key
 * is revoked, the device deleted.
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
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the interface is the contract
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
