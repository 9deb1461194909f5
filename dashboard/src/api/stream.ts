/** Server-sent events over `fetch`, which can send the key, unlike EventSource. Reconnects automatically. */
import type { Client } from './client.ts';
import { ApiError } from './client.ts';
import { pause } from './pause.ts';
import type { HandsetEvent } from './types.ts';

export interface StreamListener {
  /** The stream is open and carries every event from now on. */
  readonly connected: () => void;
  readonly event: (event: HandsetEvent) => void;
  /** The stream ended or could not be opened. A retry follows. */
  readonly lost: () => void;
}

const firstRetryMs = 1000;
const lastRetryMs = 30_000;

const dataOf = (block: string): string | null => {
  const lines = block.split('\n').filter((line) => line.startsWith('data: '));
  return lines.length === 0 ? null : lines.map((line) => line.slice(6)).join('\n');
};

const readBlocks = async (body: ReadableStream<Uint8Array<ArrayBuffer>>, listener: StreamListener): Promise<void> => {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const data = dataOf(block);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the event envelope of the API
      if (data !== null) listener.event(JSON.parse(data) as HandsetEvent);
    }
  }
};

/** Listens until `signal` is aborted or the key is rejected. */
export const listen = async (
  client: Client,
  path: string,
  listener: StreamListener,
  signal: AbortSignal,
): Promise<void> => {
  let retryMs = firstRetryMs;
  while (!signal.aborted) {
    try {
      const answer = await client.raw(path, { headers: { accept: 'text/event-stream' }, signal });
      listener.connected();
      retryMs = firstRetryMs;
      if (answer.body !== null) await readBlocks(answer.body, listener);
    } catch (error) {
      if (error instanceof ApiError && error.code === 401) return;
    }
    if (signal.aborted) return;
    listener.lost();
    await pause(retryMs, signal);
    retryMs = Math.min(retryMs * 2, lastRetryMs);
  }
};
