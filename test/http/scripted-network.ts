/** A network without a network: gives QRs, links and accepts on command, for tests of what is above the protocol. */
import { foundRecipient } from '../../src/domain/chats/recipient.ts';
import { LeaseLost } from '../../src/domain/lease.ts';
import { HandsetError } from '../../src/errors.ts';
import type { AddressedMessage, OutgoingMessage } from '../../src/domain/messages/outgoing.ts';
import type { ConnectOptions, Network, NetworkSession, SessionListener } from '../../src/domain/network.ts';
import type { Account } from '../../src/domain/sessions/state.ts';
import type { Stores } from '../../src/domain/stores.ts';
import { DeviceCaptures } from '../../src/whatsapp/capture/captures.ts';
import { quietConversation } from '../support/conversation.ts';
import { acceptedRecord, asSaid, encipherInMemory, takePng } from '../support/accepted.ts';
import { quietChannels } from '../support/channels/fixture.ts';
import { quietGroups } from '../support/groups.ts';
import { quietStatuses } from '../support/statuses/fixture.ts';

export interface Script {
  /** The outcome of a new connection of an unlinked device. */
  pairing: 'qr' | 'nothing' | 'refused';
  /** `lost`: another node has taken the device. */
  send: 'accept' | 'fail' | 'wait' | 'lost';
  logout: 'done' | 'fail';
  /** The pieces that `downloadMedia` streams. */
  media: readonly Uint8Array[];
  readonly unknownNumbers: Set<string>;
}

interface Line {
  readonly listener: SessionListener;
  readonly session: NetworkSession;
}

export interface ScriptedNetwork extends Network {
  readonly script: Script;
  readonly sent: OutgoingMessage[];
  /** As if the QR had been scanned. */
  link(deviceId: number, number: string): Promise<Account>;
  /** As if the QR had been scanned, and the network wanted a passkey. */
  askForPasskey(deviceId: number): void;
  /** Lets the sends of `send: 'wait'` go on. */
  release(): void;
}

const qrText = (deviceId: number): string =>
  `https://wa.me/settings/linked_devices#2@${'x'.repeat(180)}${deviceId},${'k'.repeat(43)}=,3`;

const refusal = ({ content }: OutgoingMessage): HandsetError =>
  content.kind === 'text'
    ? new HandsetError('SendFailed', 'Failed to send message')
    : new HandsetError('SendMediaFailed', 'Failed to send media message');

/** `stores` comes later: the store needs no network, but a session writes to it. */
export const scriptedNetwork = (stores: () => Stores): ScriptedNetwork => {
  const lines = new Map<number, Line>();
  const accounts = new Map<number, Account>();
  const script: Script = {
    pairing: 'qr',
    send: 'accept',
    logout: 'done',
    media: [Buffer.from('media')],
    unknownNumbers: new Set(),
  };
  const sent: OutgoingMessage[] = [];
  let waiting: (() => void)[] = [];
  let ids = 0;

  const accept = async (deviceId: number, message: AddressedMessage) => {
    const record = acceptedRecord(message, accounts.get(deviceId)!, Date.now());
    await stores().changes.commit(deviceId, { messages: [record], sent: 1 });
    sent.push(message);
    return { record };
  };

  const hangUp = (deviceId: number, listener: SessionListener): void => {
    if (lines.get(deviceId)?.listener !== listener) return;
    lines.delete(deviceId);
    listener.closed({ kind: 'requested' });
  };

  const sessionOf = ({ deviceId }: ConnectOptions, listener: SessionListener): NetworkSession => ({
    deviceId,
    lookUp: async (number) => (script.unknownNumbers.has(number) ? null : `${number}@s.whatsapp.net`),
    async send(message, address = async () => foundRecipient(message.recipient)) {
      const recipient = await address();
      if (script.send === 'fail') throw refusal(message);
      if (script.send === 'lost') throw new LeaseLost(deviceId);
      if (script.send === 'wait') await new Promise<void>((resolve) => waiting.push(resolve));
      return accept(deviceId, { ...message, recipient });
    },
    upload: async () => new Uint8Array(1),
    writeAppState: async () => undefined,
    downloadMedia: async () =>
      (async function* () {
        yield* script.media;
      })(),
    fetchMedia: async () => {
      throw new Error('no media is fetched here');
    },
    conversation: quietConversation,
    groups: quietGroups,
    statuses: quietStatuses,
    channels: quietChannels,
    applySettings: () => undefined,
    answerPasskey: async () => undefined,
    confirmPasskey: async () => undefined,
    async logout() {
      if (script.logout === 'fail') throw new Error('no answer to the logout');
      accounts.delete(deviceId);
      lines.delete(deviceId);
      listener.closed({ kind: 'requested' });
    },
    close: async () => hangUp(deviceId, listener),
    cut: () => hangUp(deviceId, listener),
  });

  const begin = ({ deviceId, pairingNumber }: ConnectOptions, listener: SessionListener): void => {
    const account = accounts.get(deviceId);
    if (account !== undefined) listener.open(account);
    else if (script.pairing === 'qr') {
      const expiresAt = Date.now() + 60_000;
      const code = pairingNumber === null ? null : { code: 'ABCD1234', expiresAt };
      listener.pairing({ qrText: qrText(deviceId), qrExpiresAt: expiresAt, code });
    } else if (script.pairing === 'refused') listener.closed({ kind: 'pairing_failed', detail: 'refused' });
  };

  return {
    sandbox: true,
    script,
    sent,
    decipher: async () => {
      throw new Error('no media is kept here');
    },
    connect(options, listener) {
      const session = sessionOf(options, listener);
      lines.set(options.deviceId, { listener, session });
      setImmediate(() => {
        if (lines.get(options.deviceId)?.listener === listener) begin(options, listener);
      });
      return session;
    },
    async link(deviceId, number) {
      const line = lines.get(deviceId);
      if (line === undefined) throw new Error(`device ${deviceId} is not connected`);
      const account = {
        jid: `${number}@s.whatsapp.net`,
        lid: null,
        phoneNumber: number,
        name: 'Ann',
        platform: 'android',
      };
      await stores().changes.commit(deviceId, { account });
      accounts.set(deviceId, account);
      line.listener.linked(account);
      line.listener.open(account);
      return account;
    },
    askForPasskey(deviceId) {
      const now = Date.now();
      lines.get(deviceId)?.listener.passkey({
        step: 'response',
        options: { challenge: 'AAAA', rpId: 'whatsapp.com' },
        handOffUntil: now + 300_000,
        expiresAt: now + 600_000,
        refusal: null,
      });
    },
    release() {
      const released = waiting;
      waiting = [];
      for (const go of released) go();
    },
    unread: { slow: 0, stuck: 0 },
    captures: new DeviceCaptures({ now: () => Date.now() }),
    reach: async () => null,
    preparePicture: takePng,
    readPage: async () => null,
    encipher: encipherInMemory,
    prepareFile: asSaid,
    reread: async () => ({}),
    adoptSession: async () => ({
      account: {
        jid: '4915119999999@s.whatsapp.net',
        lid: null,
        phoneNumber: '4915119999999',
        name: null,
        platform: null,
      },
      credentials: new Uint8Array(1),
      keys: [],
      counts: { sessions: 1, groupKeys: 2, preKeys: 3, appStateKeys: 4, skipped: 5 },
    }),
    releaseSession: async () => ({ 'creds.json': '{}' }),
    partId: (messageId, index) => `${messageId}-${index}`,
    newMessageId: () => `3EB0${String((ids += 1)).padStart(18, '0')}`,
  };
};
