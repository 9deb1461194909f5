/** Stored events as callers see them: URLs below the present address, times in RFC 3339. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeviceEvent, MessageData } from '../../src/domain/event.ts';
import { envelopeOf, mediaUrlsBelow } from '../../src/domain/event-view.ts';
import { noMediaDetails, noParts } from '../../src/domain/messages/parts.ts';

const at = Date.UTC(2026, 10, 26, 7);
const shownAt = '2026-11-26T07:00:00.000Z';
const chat = '4915550002222@s.whatsapp.net';
const bob = { jid: chat, number: '4915550002222', lid: null };
const media = { mimetype: 'image/png', bytes: 9, sha256: null, fileName: null, ...noMediaDetails };
const planned = { name: 'Tea', description: null, startsAt: at, endsAt: null, place: null, canceled: false };
const groupInvite = { group: '1@g.us', subject: null, code: null, expiresAt: at };
const place = { chat, chatNumber: bob.number, chatLid: null };

const message = (id: string): MessageData => ({
  id,
  ...place,
  from: chat,
  fromNumber: bob.number,
  fromLid: null,
  pushName: null,
  isGroup: false,
  timestamp: at,
  type: 'image',
  text: null,
  quotedMessageId: null,
  media,
  ...noParts,
  event: planned,
  groupInvite,
  viewOnce: false,
  unavailable: null,
});

const shown = (id: string, address: string) => ({
  ...message(id),
  fromUsername: null,
  timestamp: shownAt,
  media: { ...media, note: false, url: `${address}/v1/devices/7/messages/${encodeURIComponent(id)}/media` },
  event: { ...planned, startsAt: shownAt },
  groupInvite: { ...groupInvite, expiresAt: shownAt },
});

const updated = (update: Extract<DeviceEvent, { type: 'message.updated' }>['data']['update']): DeviceEvent => ({
  type: 'message.updated',
  data: { messageId: 'M/1', ...place, update },
});

const dataOf = (event: DeviceEvent, address: string): unknown =>
  envelopeOf(
    { id: 'evt_1', deviceId: 7, at, event },
    mediaUrlsBelow(() => `${address}/v1`),
  ).data;

for (const address of ['https://one.example.com', 'https://two.example.com/handset']) {
  test(`media is below ${address}, wherever an event has it`, () => {
    assert.deepEqual(dataOf({ type: 'message.received', data: { message: message('M 1') } }, address), {
      message: shown('M 1', address),
    });
    assert.deepEqual(dataOf({ type: 'message.sent', data: { message: message('M1'), source: 'phone' } }, address), {
      message: shown('M1', address),
      source: 'phone',
    });
    const { url } = shown('M/1', address).media;
    assert.deepEqual(dataOf(updated({ media }), address), {
      messageId: 'M/1',
      ...place,
      update: { media: { ...media, note: false, url } },
    });
    assert.deepEqual(dataOf(updated({ message: message('M/1') }), address), {
      messageId: 'M/1',
      ...place,
      update: { message: shown('M/1', address) },
    });
    const settled = {
      type: 'chat.settled',
      data: { ...place, settleSeconds: 8, messages: [message('A'), message('B')] },
    } as const;
    assert.deepEqual(dataOf(settled, address), {
      ...settled.data,
      messages: [shown('A', address), shown('B', address)],
    });
  });
}

test('times are RFC 3339, and null stays null', () => {
  const presence = { chat, person: bob, state: 'offline' as const };
  assert.deepEqual(dataOf({ type: 'chat.presence', data: { ...presence, lastSeenAt: at } }, ''), {
    ...presence,
    person: { ...bob, username: null },
    lastSeenAt: shownAt,
  });
  assert.deepEqual(dataOf({ type: 'chat.presence', data: { ...presence, lastSeenAt: null } }, ''), {
    ...presence,
    person: { ...bob, username: null },
    lastSeenAt: null,
  });
  assert.deepEqual(dataOf(updated({ text: 'Tea', event: planned }), ''), {
    messageId: 'M/1',
    ...place,
    update: { text: 'Tea', event: { ...planned, startsAt: shownAt } },
  });
  assert.deepEqual(dataOf(updated({ text: 'x' }), ''), { messageId: 'M/1', ...place, update: { text: 'x' } });
});

test('people have a username wherever an event has them, null where none is known', () => {
  const [named, nameless] = [{ ...bob, username: 'bob' }, bob];
  const shownAs = [named, { ...bob, username: null }];
  const by = nameless;
  const group = { group: '1@g.us', subject: null, by };
  const cases: readonly [DeviceEvent, object][] = [
    [{ type: 'message.deleted', data: { messageId: 'M', ...place, by: named } }, { by: named }],
    [updated({ reaction: 'x', from: nameless }), { update: { reaction: 'x', from: shownAs[1] } }],
    [
      { type: 'group.updated', data: { ...group, change: { added: [named, nameless] } } },
      { change: { added: shownAs } },
    ],
    [
      { type: 'group.updated', data: { ...group, change: { numberChanged: { from: nameless, to: named } } } },
      { by: shownAs[1], change: { numberChanged: { from: shownAs[1], to: named } } },
    ],
    [{ type: 'group.left', data: { ...group, by: null, reason: null } }, { by: null }],
  ];
  for (const [event, expected] of cases) assert.partialDeepStrictEqual(dataOf(event, ''), expected);
  const quoted = { id: 'Q', from: nameless, type: 'text' as const, text: null };
  const said = { ...message('M'), fromUsername: 'bob', mentions: [named, nameless], quoted };
  assert.partialDeepStrictEqual(dataOf({ type: 'message.received', data: { message: said } }, ''), {
    message: { fromUsername: 'bob', mentions: shownAs, quoted: { ...quoted, from: shownAs[1] } },
  });
});

test('times of events are stored in ms and told in RFC 3339; those of 0.3 are stored as they are told', () => {
  const told = (event: DeviceEvent): object =>
    envelopeOf({ id: 'evt_1', deviceId: 1, at, event }, () => '').data as object;
  assert.partialDeepStrictEqual(told({ type: 'chat.cleared', data: { ...place, until: at, starredKept: true } }), {
    until: shownAt,
  });
  const muted = (mutedUntil: number | 'always' | null) =>
    told({ type: 'chat.updated', data: { ...place, change: { mutedUntil } } });
  assert.deepEqual(
    [at, 'always', null].map((until) => (muted(until as never) as { change: object }).change),
    [{ mutedUntil: shownAt }, { mutedUntil: 'always' }, { mutedUntil: null }],
  );
  const limited = { type: 'account.limited', data: { until: shownAt, reason: null } };
  assert.deepEqual(told(limited as never), { until: shownAt, reason: null });
  const auth = { qr: null, qrText: 'x', pairingCode: null, passkey: false, expiresAt: at };
  assert.deepEqual(told({ type: 'connection.auth', data: auth }), { ...auth, expiresAt: shownAt });
});
