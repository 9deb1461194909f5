/** Stanzas of the real network, written by hand after the sources that are named with each. */
import type { BinaryNode } from 'baileys';

export const bobs = '4915200000062';
const bob = `${bobs}@s.whatsapp.net`;
const group = '120363000000000007@g.us';
export const server = 's.whatsapp.net';

export const element = (tag: string, attrs: BinaryNode['attrs'] = {}, content?: BinaryNode['content']): BinaryNode =>
  content === undefined ? { tag, attrs } : { tag, attrs, content };
const notification = (type: string, from: string, ...content: BinaryNode[]): BinaryNode =>
  element('notification', { from, type, t: '1790000000' }, content);
const call = (signal: string, more: BinaryNode['attrs'] = {}): BinaryNode =>
  element('call', { from: bob, t: '1790000000', platform: 'android', version: '2.26.1' }, [
    element(signal, { 'call-id': `C-${signal}`, 'call-creator': bob, ...more }),
  ]);
const message = (attrs: BinaryNode['attrs'], ...content: BinaryNode[]): BinaryNode =>
  element('message', { from: bob, t: '1790000000', type: 'text', ...attrs }, content);

interface Shape {
  readonly name: string;
  /** File and date at which it was read. */
  readonly source: string;
  readonly node: BinaryNode;
  /** Types of the events that are told; none by default. */
  readonly told?: readonly string[];
}

const whatsmeow = 'whatsmeow notification.go, 2026-08-21';
const rust = 'whatsapp-rust src/handlers/notification.rs, 2026-08';

export const shapes: readonly Shape[] = [
  {
    name: 'own picture changed elsewhere',
    source: whatsmeow,
    node: notification('account_sync', bob, element('picture')),
  },
  {
    name: 'a setting changed elsewhere',
    source: whatsmeow,
    node: notification(
      'account_sync',
      bob,
      element('privacy', {}, [element('category', { name: 'last', value: 'none' })]),
    ),
  },
  {
    name: 'a push name changed elsewhere',
    source: rust,
    node: element('notification', { from: bob, type: 'account_sync', t: '1790000000', pushname: 'Ann' }),
  },
  {
    name: 'a picture by hash alone',
    source: rust,
    node: notification('picture', bob, element('set', { hash: 'Q29u', id: '1790000000' })),
  },
  {
    name: 'a picture that is gone, without a child',
    source: rust,
    node: element('notification', { from: bob, type: 'picture', t: '1790000000' }),
  },
  {
    name: 'a text about oneself',
    source: whatsmeow,
    node: notification('status', bob, element('set', {}, Buffer.from('Busy'))),
  },
  {
    name: 'disappearing mode of a contact',
    source: rust,
    node: notification('disappearing_mode', bob, element('disappearing_mode', { duration: '86400', t: '1790000000' })),
  },
  {
    name: 'a contact by hash',
    source: rust,
    node: notification('contacts', server, element('update', { hash: 'Q29u' })),
  },
  {
    name: 'a contact with another number',
    source: rust,
    node: notification(
      'contacts',
      server,
      element('modify', {
        old: bob,
        new: '4915200000069@s.whatsapp.net',
        old_lid: '900001@lid',
        new_lid: '900002@lid',
      }),
    ),
  },
  {
    name: 'contacts to be synchronised',
    source: rust,
    node: notification('contacts', server, element('sync', { after: '1790000000' })),
  },
  {
    name: 'a business that is none any more',
    source: whatsmeow,
    node: notification('business', bob, element('remove', { jid: bob })),
  },
  {
    name: 'an announcement of the network',
    source: whatsmeow,
    node: notification('psa', server, element('psa', {}, Buffer.from('x'))),
  },
  {
    name: 'a channel',
    source: whatsmeow,
    node: notification(
      'newsletter',
      '120363000000000001@newsletter',
      element('live_updates', {}, [element('messages', { t: '1790000000' })]),
    ),
  },
  {
    name: 'an unknown operation of MEX',
    source: whatsmeow,
    node: notification(
      'mex',
      server,
      element('update', { op_name: 'NotificationSomething' }, Buffer.from('{"data":{"xwa2_notify_something":{}}}')),
    ),
  },
  {
    name: 'prekeys of another kind',
    source: 'Baileys #2820, 2026-09',
    node: notification('encrypt', server, element('pq_count', { value: '3' })),
  },
  {
    name: 'a group with several changes at once',
    source: 'whatsapp-rust wacore/src/stanza/groups.rs, 2026-08',
    node: notification(
      'w:gp2',
      group,
      element('add', { v_id: '2', prev_v_id: '1' }, [element('participant', { jid: '900001@lid', phone_number: bob })]),
      element('subject', { subject: 'New', s_t: '1790000000' }),
      element('growth_locked', { type: 'invite' }),
    ),
    told: ['group.updated', 'group.updated'],
  },
  {
    name: 'a member who came by a link, with no author',
    source: 'whatsmeow types/events/events.go, 2026-08-21',
    node: element('notification', { from: group, type: 'w:gp2', t: '1790000000', notify: 'invite' }, [
      element('add', { reason: 'invite' }, [element('participant', { jid: bob })]),
    ]),
    told: ['group.updated'],
  },
  {
    name: 'a device list by hash alone',
    source: whatsmeow,
    node: notification('devices', bob, element('update', { hash: 'Q29u' })),
  },
  {
    name: 'a token of an unknown type',
    source: whatsmeow,
    node: notification(
      'privacy_token',
      bob,
      element('tokens', {}, [element('token', { jid: bob, t: '1790000000', type: 'something' }, Buffer.from('x'))]),
    ),
  },
  {
    name: 'a notification of an unknown type',
    source: whatsmeow,
    node: notification('something_new', server, element('something')),
  },
  {
    name: 'a message that only the phone may show',
    source: 'Baileys rc14 decode-wa-message.js; whatsmeow message.go, 2026-08-21',
    node: message({}, element('unavailable', { hosted: 'true' })),
    told: ['message.received'],
  },
  {
    name: 'a post of a channel',
    source: 'zapo message.test.ts, 2026-08-19',
    node: message(
      { from: '120363000000000001@newsletter', server_id: '12345' },
      element('plaintext', {}, Buffer.from([0x0a, 2, 0x68, 0x69])),
    ),
  },
  {
    name: 'a group call',
    source: 'whatsmeow call.go, 2026-08-21',
    node: call('offer_notice', { media: 'video', type: 'group' }),
    told: ['call'],
  },
  { name: 'signals of a call that goes on', source: 'whatsmeow call.go, 2026-08-21', node: call('preaccept') },
  {
    name: 'latencies of a call',
    source: 'whatsmeow call.go, 2026-08-21',
    node: call('relaylatency', { 'transaction-id': '1' }),
  },
  {
    name: 'keys of a call asked again',
    source: 'whatsapp-rust src/handlers/receipt.rs, 2026-08',
    node: element('receipt', { from: bob, type: 'enc_rekey_retry', t: '1790000000' }, [
      element('enc_rekey', { 'call-id': 'C', 'call-creator': bob, count: '1' }),
    ]),
  },
  {
    name: 'a receipt for a message that nobody sent',
    source: 'whatsmeow receipt.go, 2026-08-21',
    node: element('receipt', { from: bob, t: '1790000000', type: 'read' }, [
      element('list', {}, [element('item', { id: 'OTHER' })]),
    ]),
  },
  {
    name: 'a stanza of an unknown kind',
    source: 'whatsapp-rust #1101, 2026-07-25',
    node: element('appdata', { from: server, type: 'x', t: '1790000000' }),
  },
];

/** Stanzas that nobody acknowledges (whatsmeow client.go, whatsapp-rust src/handlers/ib.rs; 2026-08). */
export const silent: readonly BinaryNode[] = [
  element('ib', { from: server }, [element('edge_routing', {}, [element('routing_info', {}, Buffer.from([1, 2]))])]),
  element('ib', { from: server }, [element('dirty', { type: 'account_sync', timestamp: '1790000000' })]),
  element('ib', { from: server }, [element('offline_preview', { count: '3', message: '1', notification: '2' })]),
  element('ib', { from: server }, [element('thread_metadata', {}, [element('item', { jid: bob, count: '1' })])]),
  element('ack', { class: 'message', id: 'NOBODY', from: bob, error: '479', t: '1790000000' }),
  element('presence', { from: bob, type: 'unavailable', last: 'deny' }),
  element('chatstate', { from: bob }, [element('composing', { media: 'audio' })]),
];
