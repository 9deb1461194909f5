/** One message, from the device's queue to the network's ack (docs/spec/messages.md, Sending). */
import type { Clock } from '../../domain/clock.ts';
import { LeaseLost } from '../../domain/lease.ts';
import type { OutgoingContent } from '../../domain/message.ts';
import type { Session } from '../../domain/network.ts';
import type { Recipient } from '../../domain/recipient.ts';
import { HandsetError, invalidRequest, isUnavailable, mayHaveBeenSent } from '../../errors.ts';
import type { DeviceRuntime } from '../sessions/device-runtime.ts';
import type { LiveParts } from '../parts.ts';
import { type Wait, adviceToConnect, openSession, waitOf } from './readiness.ts';

export interface Draft {
  readonly recipient: Recipient;
  readonly content: OutgoingContent;
}

/** A link that is lost in the middle of a send is waited for: the same message, under the same id, so it stays one. */
const maxTries = 3;
/** A send fails a moment before the end of its session is told. */
const momentMs = 500;

/** Wraps any other error as a failure to send; the cause is for the log. */
const failure = (content: OutgoingContent, cause: unknown): HandsetError => {
  // The device moves: the request is answered by its new node.
  if (cause instanceof LeaseLost) throw cause;
  if (cause instanceof HandsetError && cause.cause instanceof LeaseLost) throw cause.cause;
  if (cause instanceof HandsetError) return cause;
  return content.kind === 'image'
    ? new HandsetError('SendMediaFailed', 'Failed to send media message', { cause })
    : new HandsetError('SendFailed', 'Failed to send message', { cause });
};

/** Writing to numbers that do not exist is what gets accounts restricted: unknown ones are refused here. */
const resolve = async (session: Session, recipient: Recipient): Promise<Recipient> => {
  if (recipient.kind !== 'number') return recipient;
  const jid = await session.lookUp(recipient.number);
  if (jid === null) throw invalidRequest('toNumber is not on the network: no account has this number');
  return { ...recipient, jid };
};

/** The request is wrong, or the database is away, whatever the link does. */
const refused = (error: unknown): boolean =>
  isUnavailable(error) || (error instanceof HandsetError && error.name === 'InvalidRequest');

const linkLost = async (runtime: DeviceRuntime, session: Session): Promise<boolean> =>
  (await runtime.waitFor(() => (runtime.session === session ? undefined : true), momentMs)) !== null;

interface Attempt extends Draft, Wait {
  readonly id: string;
}

const attempt = async (runtime: DeviceRuntime, clock: Clock, message: Attempt, onLeft: () => void): Promise<void> => {
  const { id, recipient, content } = message;
  const left = (): number => message.until - clock.now();
  const advice = content.kind === 'image' ? adviceToConnect : '';
  // Once the network may have the message, this is what the caller hears, and no later "not connected" hides it.
  let unknown: HandsetError | null = null;
  for (let tries = 1; ; tries += 1) {
    let session: Session | null = null;
    try {
      session = await openSession(runtime, advice, clock, message);
      // The caller has its 408 by now: what it believes to have failed must not go out later.
      if (left() <= 0) throw new HandsetError('RequestTimeout', 'Request timeout');
      await session.send({ id, recipient: await resolve(session, recipient), content }, onLeft);
      return;
    } catch (error) {
      const failed = failure(content, error);
      if (mayHaveBeenSent(failed)) unknown ??= failed;
      const again = session !== null && tries < maxTries && left() > 0 && !refused(error);
      if (!again || !(await linkLost(runtime, session!))) throw unknown ?? failed;
    }
  }
};

/** Resolves once the network has accepted the message. */
export const deliver = async (parts: LiveParts, runtime: DeviceRuntime, draft: Draft, id: string): Promise<void> => {
  const wait = waitOf(parts);
  const bytes = draft.content.kind === 'image' ? draft.content.image.bytes.length : draft.content.text.length;
  await runtime.work(() =>
    runtime.sends.run(bytes, (next) => attempt(runtime, parts.clock, { ...draft, ...wait, id }, next)),
  );
};
