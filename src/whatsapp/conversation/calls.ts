/** Rejects calls: one that the caller names, or all as the device's settings say, with an answer in words. */
import { createHash } from 'node:crypto';
import type { IncomingCall } from '../../domain/chats/conversation.ts';
import type { SuppressionStore } from '../../domain/chats/suppressions.ts';
import { type Jid, jidKind } from '../../domain/jid.ts';
import { messageOf } from '../../errors.ts';
import type { Session } from '../session.ts';
import { sendMessage } from '../send/send.ts';
import { personOf, plainJid } from '../identity/people.ts';
import { newEvent } from '../translate/record.ts';
import { asked, Refused } from '../engine/asked.ts';

type Suppressions = Pick<SuppressionStore, 'has'>;

/** A call that rang longer ago has ended; the network delivers it when the device is back. */
const longestRingMs = 60_000;

/** As stock Baileys rejects (`rejectCall`), whose own method does not tell a refusal. */
export const rejectCall = async (link: Session, call: IncomingCall): Promise<void> => {
  const { deviceId, sock, creds, store, clock } = link;
  const to = call.fromLid ?? call.from;
  const reject = { tag: 'reject', attrs: { 'call-id': call.callId, 'call-creator': to, count: '0' } };
  await asked(deviceId, { 404: 'The caller is no longer on the network' }, async () => {
    const stanza = { tag: 'call', attrs: { from: creds.me!.id, to }, content: [reject] };
    const { attrs } = await sock.query(stanza);
    if (attrs['error'] !== undefined) throw new Refused(Number(attrs['error']), 'the call cannot be rejected');
  });
  const { callId, from } = call;
  const event = { type: 'call', data: { ...call, status: 'reject' } } as const;
  await store.commit(deviceId, { events: [newEvent(event, clock.now(), from, callId, 'reject')] });
};

/** Derived from the call, so that its answer stays one message whenever the call is delivered again. */
const answerId = (deviceId: number, callId: string): string =>
  `3EB0${createHash('sha256').update(`${deviceId} ${callId}`).digest('hex').slice(0, 18).toUpperCase()}`;

const answer = async (
  link: Session,
  { callId, from }: IncomingCall,
  text: string,
  suppressions: Suppressions | undefined,
): Promise<void> => {
  if ((await suppressions?.has(link.deviceId, from)) === true) return;
  const recipient = { kind: jidKind(from) === 'lid' ? 'lid' : 'phone', jid: from } as const;
  const id = answerId(link.deviceId, callId);
  await sendMessage(link, { id, isRepeat: true, recipient, content: { kind: 'text', text } });
};

/** `wish`: the setting `rejectCalls`, as it is when somebody calls. Told of a call once its event is stored. */
export const answerCalls = (link: Session, wish: () => boolean | string, suppressions?: Suppressions): void => {
  const { sock, clock, lidMapping, log } = link;
  sock.ev.on('call', (calls) => {
    for (const { id, from, callerPn, isVideo, isGroup, status, date } of calls) {
      const wished = wish();
      const isNew = status === 'offer' && clock.now() - date.getTime() < longestRingMs;
      if (wished === false || !isNew) continue;
      const person = personOf((jid: Jid) => lidMapping.peek(jid), plainJid(from), callerPn);
      const caller = { from: person.jid, fromNumber: person.number, fromLid: person.lid };
      const call = { callId: id, ...caller, isVideo: isVideo === true, isGroup: isGroup === true };
      void rejectCall(link, call)
        .then(() => (typeof wished === 'string' && !call.isGroup ? answer(link, call, wished, suppressions) : null))
        .catch((error: unknown) => log.warn({ error: messageOf(error) }, 'a call was not rejected'));
    }
  });
};
