/** The fixture of every part of the contract: a store with a clock of its own, a user and devices. */
import { noParts } from '../../../src/domain/messages/parts.ts';
import type { DeviceRecord, NewDevice } from '../../../src/domain/device.ts';
import { type DeviceEvent, type MessageData, eventKinds } from '../../../src/domain/event.ts';
import type { Report } from '../../../src/domain/changes.ts';
import type { MessageRecord } from '../../../src/domain/message.ts';
import type { Stores } from '../../../src/domain/stores.ts';
import { type ManualClock, manualClock } from '../../support/clock.ts';

/** A fresh store for one test; closed after it. */
export interface OpenedStore {
  readonly stores: Stores;
  reopen(): Promise<Stores>;
  execute(statement: string): Promise<void>;
  /** The size of all rows of a table. */
  bytesIn(table: string): Promise<number>;
  close(): Promise<void>;
}

export type OpenStore = (clock: ManualClock) => Promise<OpenedStore>;

export interface Fixture {
  readonly clock: ManualClock;
  readonly stores: Stores;
  readonly userId: number;
  reopen(): Promise<Stores>;
  /** Runs a statement beside the store, as another version would. */
  execute(statement: string): Promise<void>;
  /** The size of all rows of a table. */
  bytesIn(table: string): Promise<number>;
  device(wanted?: Partial<NewDevice>): Promise<DeviceRecord>;
}

/** Runs `run` against a fresh store. */
export const withStore =
  (open: OpenStore, run: (fixture: Fixture) => Promise<void>): (() => Promise<void>) =>
  async () => {
    const clock = manualClock();
    const opened = await open(clock);
    try {
      const user = await opened.stores.users.create('owner', 100, clock.now());
      await run({
        clock,
        get stores() {
          return opened.stores;
        },
        userId: user.id,
        reopen: () => opened.reopen(),
        execute: (statement) => opened.execute(statement),
        bytesIn: (table) => opened.bytesIn(table),
        device: (wanted = {}) =>
          opened.stores.devices.create(
            { userId: user.id, name: 'Phone', webhookUrl: null, webhookEvents: eventKinds, ...wanted },
            clock.now(),
          ),
      });
    } finally {
      await opened.close();
    }
  };

export const hook = { webhookUrl: 'https://hooks.example.com/in' };
export const chatA = '4915112345678@s.whatsapp.net';
export const chatB = '4915187654321@s.whatsapp.net';
export const lidA = '98765432101234@lid';
export const dayMs = 86_400_000;

export const timeoutEvent: DeviceEvent = { type: 'connection.timeout', data: {} };

export const messageData = (id: string, chat = chatA, text = 'Hello'): MessageData => ({
  id,
  chat,
  chatNumber: chat.split('@')[0]!,
  chatLid: null,
  from: chat,
  fromNumber: chat.split('@')[0]!,
  fromLid: null,
  pushName: null,
  isGroup: false,
  timestamp: Date.UTC(2026, 0),
  type: 'text',
  text,
  quotedMessageId: null,
  media: null,
  ...noParts,
  viewOnce: false,
  unavailable: null,
});

export const received = (id: string, chat = chatA, rest: Partial<Report> = {}): Report => ({
  event: { type: 'message.received', data: { message: messageData(id, chat) } },
  at: 1000,
  ...rest,
});

export const record = (id: string, rest: Partial<MessageRecord> = {}): MessageRecord => ({
  id,
  chat: chatA,
  chatNumber: '4915112345678',
  chatLid: null,
  direction: 'out',
  from: chatA,
  fromNumber: null,
  fromLid: null,
  pushName: 'Ann',
  isGroup: false,
  type: 'text',
  text: 'Hello',
  quotedMessageId: null,
  media: null,
  content: new Uint8Array([1, 2, 3]),
  state: 'accepted',
  timestamp: 1000,
  acceptedAt: 1000,
  deliveredAt: null,
  readAt: null,
  failedAt: null,
  deletedAt: null,
  ...rest,
});

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
export const textOf = (value: Uint8Array | null | undefined): string | null =>
  value === null || value === undefined ? null : new TextDecoder().decode(value);
