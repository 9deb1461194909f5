/** The events of the client: what `type` is decides about `data`, for every kind. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HandsetEvent, TestEvent, WebhookEvent } from '../../client/src/index.ts';

/** Compiles only while each kind has data of its own, and none is missing. */
const subjectOf = (event: WebhookEvent): string | number | null => {
  switch (event.type) {
    case 'connection.open':
      return event.data.phoneNumber;
    case 'connection.closed':
    case 'connection.logout':
      return event.data.reason;
    case 'connection.auth':
      return event.data.expiresAt;
    case 'message.received':
      return event.data.message.id;
    case 'message.sent':
      return event.data.source;
    case 'message.updated':
    case 'message.deleted':
      return event.data.messageId;
    case 'call':
      return event.data.callId;
    case 'chat.presence':
      return event.data.state;
    case 'chat.settled':
      return event.data.messages.length;
    case 'chat.updated':
      return event.data.change.mutedUntil ?? event.data.chat;
    case 'chat.cleared':
    case 'chat.deleted':
      return event.data.until;
    case 'contact.updated':
      return event.data.change.pushName ?? event.data.jid;
    case 'label.updated':
      return event.data.label.name;
    case 'history.loaded':
      return event.data.count;
    case 'account.limited':
      return event.data.until;
    case 'group.updated':
      return 'subject' in event.data.change ? event.data.change.subject : event.data.group;
    case 'group.joined':
    case 'group.left':
      return event.data.reason;
    case 'status.received':
      return event.data.status.id;
    case 'status.deleted':
    case 'status.viewed':
      return event.data.statusId;
    case 'channel.message':
    case 'channel.message.updated':
    case 'channel.updated':
      return event.data.channel;
    case 'device.created':
    case 'device.deleted':
      return event.data.name;
    case 'connection.timeout':
    case 'test':
      return null;
    default:
      return event satisfies never;
  }
};

test('an event is narrowed by its kind', () => {
  const envelope = { id: 'evt_1', timestamp: '2026-11-01T08:00:00Z', deviceId: 1 };
  const deleted: HandsetEvent = { ...envelope, type: 'device.deleted', data: { name: 'Sales' } };
  const tested: TestEvent = { ...envelope, type: 'test', data: {} };
  assert.deepEqual([deleted, tested].map(subjectOf), ['Sales', null]);
});
