/** The events of a device: a stream that reconnects and resumes. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { EventEnvelope } from '../domain/event.ts';
import { type Client, CommandError, exitCodes } from './client.ts';

const backoffMs = 2000;

interface Message {
  readonly id: string | null;
  readonly data: string;
}

export const parseStream = async function* (pieces: AsyncIterable<string>): AsyncGenerator<Message> {
  let rest = '';
  let id: string | null = null;
  let data: string[] = [];
  for await (const piece of pieces) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const [, name, value] = /^([^:]*)(?:: ?(.*))?$/s.exec(line.replace(/\r$/, '')) ?? [];
      if (name === 'id') id = value ?? null;
      if (name === 'data') data.push(value ?? '');
      if (line.trimEnd() !== '') continue;
      if (data.length > 0) yield { id, data: data.join('\n') };
      data = [];
    }
  }
};

const textOf = async function* (response: Response): AsyncGenerator<string> {
  if (response.body !== null) yield* response.body.pipeThrough(new TextDecoderStream());
};

/** True for errors that a retry may overcome, such as a restart of the service. */
const passing = (error: unknown): boolean =>
  error instanceof CommandError ? error.exitCode === exitCodes.unreachable : !(error instanceof SyntaxError);

/** From `after` or from now on. Throws the signal's reason, and CommandError if the first connection or a later one is refused. */
export const eventFeed = async function* (
  client: Client,
  deviceId: number,
  after: string | null,
  signal: AbortSignal,
  report: (text: string) => void,
): AsyncGenerator<EventEnvelope> {
  let last = after;
  let connected = false;
  for (;;) {
    try {
      const resume: Record<string, string> = last === null ? {} : { 'last-event-id': last };
      const response = await client.open(`/devices/${deviceId}/events`, 'text/event-stream', resume, signal);
      connected = true;
      for await (const { id, data } of parseStream(textOf(response))) {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the interface is the contract
        yield JSON.parse(data) as EventEnvelope;
        last = id ?? last;
      }
    } catch (error) {
      if (signal.aborted || !connected || !passing(error)) throw error;
    }
    report('the event stream ended; connecting again');
    await sleep(backoffMs, undefined, { signal });
  }
};
