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
  timestamp: shownAt,
  media: { ...media, url: `${address}/v1/devices/7/messages/${encodeURIComponent(id)}/media` },
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
      update: { media: { ...media, url } },
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
    lastSeenAt: shownAt,
  });
  assert.deepEqual(dataOf({ type: 'chat.presence', data: { ...presence, lastSeenAt: null } }, ''), {
    ...presence,
    lastSeenAt: null,
  });
  assert.deepEqual(dataOf(updated({ text: 'Tea', event: planned }), ''), {
    messageId: 'M/1',
    ...place,
    update: { text: 'Tea', event: { ...planned, startsAt: shownAt } },
  });
  assert.deepEqual(dataOf(updated({ text: 'x' }), ''), { messageId: 'M/1', ...place, update: { text: 'x' } });
});
