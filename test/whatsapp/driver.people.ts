/** People and stanzas for the tables of the translator. */
import { type BinaryNode, proto } from 'baileys';
import type { SessionChanges, NewEvent } from '../../src/domain/changes.ts';
import type { Addresses, Jid } from '../../src/domain/jid.ts';
import { eventOf } from '../../src/store/commit/events-of.ts';
import { translateMessage } from '../../src/whatsapp/translate/message.ts';

export const { Type } = proto.Message.ProtocolMessage;
export const me = { phone: '4911100001@s.whatsapp.net', lid: '9001@lid' };
export const ann = { phone: '4922200002@s.whatsapp.net', lid: '9002@lid' };
export const group = '120363000000000001@g.us';
export const at = 1_700_000_000_000;
export const unknownPeople = (): Addresses => ({ phone: null, lid: null });
export const knowsAnn = (jid: Jid): Addresses => (jid === ann.phone || jid === ann.lid ? ann : unknownPeople());

export const context = (peek = unknownPeople as (jid: Jid) => Addresses) => ({
  me,
  peek,
  now: at + 5000,
});

export const stanza = (attrs: BinaryNode['attrs']): BinaryNode => ({
  tag: 'message',
  attrs: { id: 'M1', t: String(at / 1000), ...attrs },
});

// As the ratchet gives it: through the wire format.
const decoded = (message: proto.IMessage): proto.IMessage =>
  proto.Message.decode(proto.Message.encode(message).finish());

export const translate = (
  attrs: BinaryNode['attrs'],
  message: proto.IMessage,
  peek = unknownPeople as (jid: Jid) => Addresses,
) => translateMessage(stanza(attrs), decoded(message), context(peek));

export const fromAnn = { from: '9002:3@lid', sender_pn: ann.phone, notify: 'Ann' };

export const eventsIn = ({ facts = [] }: Pick<SessionChanges, 'facts'>): readonly NewEvent[] => facts.map(eventOf);
