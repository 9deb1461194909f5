/** One message, from the device's queue to the network's ack (decisions.md, Operations: send). */
import type { Clock } from '../domain/clock.ts';
import type { OutgoingContent } from '../domain/message.ts';
import type { Session } from '../domain/network.ts';
import type { Recipient } from '../domain/recipient.ts';
import { HandsetError, invalidRequest } from '../errors.ts';
import type { DeviceRuntime } from './device-runtime.ts';
import { type LiveParts, patienceMs } from './parts.ts';
import { adviceToConnect, openSession } from './readiness.ts';
import type { SendQueues } from './send-queue.ts';

export interface Draft {
  readonly recipient: Recipient;
  readonly content: OutgoingContent;
}

/** A link that is lost in the middle of a send is waited for: the same message, under the same id, so it stays one. */
const maxTries = 3;

const failure = (content: OutgoingContent, cause: unknown): HandsetError =>
  content.kind === 'image'
    ? new HandsetError('SendMediaFailed', 'Failed to send media message', { cause })
    : new HandsetError('SendFailed', 'Failed to send message', { cause });

/** Writing to numbers that do not exist is what gets accounts restricted: unknown ones are refused here. */
const resolve = async (session: Session, recipient: Recipient): Promise<Recipient> => {
  if (recipient.kind !== 'number') return recipient;
  const jid = await session.lookUp(recipient.number);
  if (jid === null) throw invalidRequest('toNumber is not on the network: no account has this number');
  return { ...recipient, jid };
};

const refused = (error: unknown): boolean =>
  error instanceof HandsetError && error.name !== 'SendFailed' && error.name !== 'SendMediaFailed';

interface Attempt extends Draft {
  readonly id: string;
  readonly asked: number;
  /** The caller's patience, in ms that are left. */
  readonly left: () => number;
}

const attempt = async (runtime: DeviceRuntime, clock: Clock, message: Attempt): Promise<void> => {
  const { id, asked, recipient, content, left } = message;
  const advice = content.kind === 'image' ? adviceToConnect : '';
  for (let tries = 1; ; tries += 1) {
    const session = await openSession(runtime, advice, clock, asked);
    try {
      await session.send({ id, recipient: await resolve(session, recipient), content });
      return;
    } catch (error) {
      if (refused(error)) throw error;
      const linkLost = runtime.session !== session && !runtime.disposed;
      if (!linkLost || tries === maxTries || left() <= 0) throw failure(content, error);
    }
  }
};

/** Resolves once the network has accepted the message. */
export const deliver = async (
  { clock, options }: LiveParts,
  queues: SendQueues,
  runtime: DeviceRuntime,
  draft: Draft,
  id: string,
): Promise<void> => {
  const asked = clock.now();
  const left = (): number => asked + patienceMs(options) - clock.now();
  const bytes = draft.content.kind === 'image' ? draft.content.image.bytes.length : draft.content.text.length;
  await queues.run(runtime.id, bytes, async () => {
    // The caller has its 408 by now: what it believes to have failed must not go out later.
    if (left() <= 0) throw new HandsetError('RequestTimeout', 'Request timeout');
    await attempt(runtime, clock, { ...draft, id, asked, left });
  });
};
