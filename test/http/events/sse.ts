/** Reads server-sent events, one at a time. */
import type { Api } from '../../support/api.ts';

export interface ServerSentEvent {
  readonly id: string;
  readonly event: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into envelopes of every kind
  readonly data: any;
}

export interface EventReader extends AsyncDisposable {
  readonly response: Response;
  /** The next event; null when the stream has ended. */
  next(): Promise<ServerSentEvent | null>;
  /** Everything up to the end. */
  rest(): Promise<readonly ServerSentEvent[]>;
  /** The next block of text, comments too; null at the end. */
  block(): Promise<string | null>;
}

const parse = (block: string): ServerSentEvent | null => {
  const fields = Object.fromEntries(
    block
      .split('\n')
      .filter((line) => !line.startsWith(':'))
      .map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]),
  );
  return fields.data === undefined
    ? null
    : { id: fields.id ?? '', event: fields.event ?? '', data: JSON.parse(fields.data) };
};

export const readEvents = async (
  api: Api,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<EventReader> => {
  const abort = new AbortController();
  const response = await api.fetch(path, {
    headers: { accept: 'text/event-stream', ...headers },
    signal: abort.signal,
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const block = async (): Promise<string | null> => {
    while (!text.includes('\n\n')) {
      const { value, done } = await reader.read();
      if (done) return null;
      text += value;
    }
    const end = text.indexOf('\n\n');
    const found = text.slice(0, end);
    text = text.slice(end + 2);
    return found;
  };
  const next = async (): Promise<ServerSentEvent | null> => {
    for (let found = await block(); found !== null; found = await block()) {
      const event = parse(found);
      if (event !== null) return event;
    }
    return null;
  };
  return {
    response,
    block,
    next,
    async rest() {
      const events: ServerSentEvent[] = [];
      for (let event = await next(); event !== null; event = await next()) events.push(event);
      return events;
    },
    async [Symbol.asyncDispose]() {
      abort.abort();
      await reader.cancel().catch(() => undefined);
    },
  };
};
