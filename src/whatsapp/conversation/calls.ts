/** Rejects calls on request, or all as configured, with an optional message. */
import { createHash } from 'node:crypto';
import type { IncomingCall } from '../../domain/chats/conversation.ts';
import type { SuppressionStore } from '../../domain/chats/suppressions.ts';
import { jidKind } from '../../domain/jid.ts';
import { messageOf } from '../../errors.ts';
import type { Session } from '../session.ts';
import { sendMessage } from '../send/send.ts';
import { Refused, asked } from '../socket/query.ts';

type Suppressions = Pick<SuppressionStore, 'has'>;

/** A call that rang longer ago has ended; the network delivers it when the device is back. */
const longestRingMs = 60_000;

export const rejectCall = async (session: Session, call: IncomingCall): Promise<void> => {
  const { deviceId, sock, creds, store, clock } = session;
  const to = call.fromLid ?? call.from;
  const reject = { tag: 'reject', attrs: { 'call-id': call.callId, 'call-creator': to, count: '0' } };
  await asked(deviceId, { 404: 'The caller is no longer on the network' }, async () => {
    const stanza = { tag: 'call', attrs: { from: creds.me!.id, to }, content: [reject] };
    const { attrs } = await sock.query(stanza);
    if (attrs['error'] !== undefined) throw new Refused(Number(attrs['error']), 'the call cannot be rejected');
  });
  const event = { type: 'call', data: { ...call, status: 'reject' } } as const;
  await store.commit(deviceId, { facts: [{ event, at: clock.now() }] });
};

/** Derived from the call, so that redelivery sends no second message. */
const answerId = (deviceId: number, callId: string): string =>
  `3EB0${createHash('sha256').update(`${deviceId} ${callId}`).digest('hex').slice(0, 18).toUpperCase()}`;

const answer = async (
  session: Session,
  { callId, from }: IncomingCall,
  text: string,
  suppressions: Suppressions | undefined,
): Promise<void> => {
  if ((await suppressions?.has(session.deviceId, from)) === true) return;
  const recipient = { kind: jidKind(from) === 'lid' ? 'lid' : 'phone', jid: from } as const;
  const id = answerId(session.deviceId, callId);
  await sendMessage(session, { id, isRepeat: true, recipient, content: { kind: 'text', text } });
};

/** `setting`: `rejectCalls` at the time of the call. Called once the call's event is stored. */
export const answerCalls = (session: Session, setting: () => boolean | string, suppressions?: Suppressions): void => {
  session.whenCalled.add(({ at, event }) => {
    const wanted = setting();
    if (event.type !== 'call' || event.data.status !== 'offer' || wanted === false) return;
    if (session.clock.now() - at >= longestRingMs) return;
    const { status: _, ...call } = event.data;
    void rejectCall(session, call)
      .then(() => (typeof wanted === 'string' && !call.isGroup ? answer(session, call, wanted, suppressions) : null))
      .catch((error: unknown) => session.log.warn({ error: messageOf(error) }, 'a call was not rejected'));
  });
};
