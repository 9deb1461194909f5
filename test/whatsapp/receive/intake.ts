/** An intake on a real store, given stanzas as if they had just been decrypted. */
import { rm } from 'node:fs/promises';
import { type AuthenticationCreds, type BinaryNode, initAuthCreds, proto } from 'baileys';
import { pino } from 'pino';
import { systemClock } from '../../../src/clock.ts';
import type { Clock } from '../../../src/domain/clock.ts';
import type { KeptGroup } from '../../../src/domain/groups/group.ts';
import type { DeviceEvent } from '../../../src/domain/event.ts';
import { openStore } from '../../../src/store/open-sqlite.ts';
import { makeDeviceMemory } from '../../../src/whatsapp/state/device-memory.ts';
import { PendingChunks } from '../../../src/whatsapp/chats/history/pending.ts';
import { Intake } from '../../../src/whatsapp/receive/intake.ts';
import type { Earlier, StanzaSource } from '../../../src/whatsapp/socket/socket.ts';
import { Notices } from '../../../src/whatsapp/receive/notices.ts';
import { makeLog } from '../../../src/log.ts';
import { makeSessionStore } from '../../../src/whatsapp/state/session-store.ts';
import { makeLidMapping } from '../../../src/whatsapp/signal/lid-mapping.ts';
import { me } from '../driver.people.ts';
import { strictStanzas } from '../socket/strict-stanzas.ts';
import { logOf } from '../../support/event-log.ts';
import { makeDataFolder } from '../../support/store.ts';

export const noticesOn = (
  socket: StanzaSource,
  sendInPassing: (nodes: readonly BinaryNode[]) => void,
  onFailure: (error: unknown) => void,
  earlier: Earlier = () => null,
): Notices => {
  const lidMapping = { learn: async () => undefined };
  const [line, creds, log] = [{ sendInPassing }, { me: { id: me.phone } }, makeLog('silent')];
  return new Notices({ sock: socket, line, creds, lidMapping, earlier, onFailure, log });
};

export const startIntakes = async (clock: Clock = systemClock) => {
  const dataDir = await makeDataFolder('handset-intake-');
  const lines: string[] = [];
  const log = pino({ level: 'info', base: null, timestamp: false }, { write: (line: string) => void lines.push(line) });
  const stores = await openStore({ dataDir, secret: null, clock: systemClock, log: pino({ level: 'silent' }) });
  const user = await stores.users.create('tester', 10, Date.now());
  const { id: deviceId } = await stores.devices.create(
    { userId: user.id, name: 'test', webhookUrl: null, webhookEvents: [] },
    Date.now(),
  );
  const creds: AuthenticationCreds = { ...initAuthCreds(), me: { id: me.phone, lid: me.lid } };
  const asked: proto.IMessageKey[] = [];
  const askedFor: string[] = [];
  let serial = 0;

  /** A connection's intake; a later one of the same device knows what is in the store. */
  const connect = (
    groups: Readonly<Record<string, KeptGroup>> = {},
    /** LIDs by phone JID, as the network answers. */
    lids: Readonly<Record<string, string>> = {},
  ) => {
    const store = makeSessionStore({ ...stores.credentials, ...stores.changes }, (error) => {
      throw error;
    });
    const lidMapping = makeLidMapping({ deviceId, store });
    lidMapping.askWith(async (phones) => {
      askedFor.push(...phones);
      return phones.flatMap((pn) => (lids[pn] === undefined ? [] : [{ pn, lid: lids[pn] }]));
    });
    const intake = new Intake({
      deviceId,
      creds,
      store,
      messages: stores.messages,
      memory: makeDeviceMemory(),
      lidMapping,
      history: new PendingChunks(deviceId, store),
      orders: { keep: async () => [] },
      toPhone: async ({ peerDataOperationRequestMessage: request }) => {
        for (const { messageKey } of request?.placeholderMessageResendRequest ?? []) asked.push(messageKey!);
      },
      groupOf: async (group) => groups[group] ?? null,
      statusesSeen: async () => ({}),
      onStoreFailure: (error) => {
        throw error;
      },
      clock,
      log,
    });
    const socket = { stanzas: strictStanzas(), isOpen: true };
    const acknowledged: BinaryNode[] = [];
    const answered: BinaryNode[] = [];
    const line = { sendInPassing: (nodes: readonly BinaryNode[]) => void acknowledged.push(...nodes) };
    intake.attach(
      socket,
      () => null,
      line,
      (receipt) => answered.push(receipt) > 0,
    );
    const decryptedBytes = async (attrs: BinaryNode['attrs'], bytes: Uint8Array): Promise<void> => {
      const ciphertext = Buffer.from(`ciphertext ${(serial += 1)}`);
      const stanza = {
        tag: 'message',
        attrs,
        content: [{ tag: 'enc', attrs: { type: 'msg' }, content: ciphertext }],
      };
      await intake.begin(stanza);
      const plaintext = Buffer.concat([bytes, Buffer.from([1])]);
      const read = await intake.readerOf(stanza)({ ciphertext, plaintext, jid: attrs.from!, group: null });
      await store.commit(deviceId, read);
    };
    return {
      intake,
      socket,
      acknowledged,
      /** Receipts that ask for a message once more. */
      answered,
      store,
      /** As the repository does when it has decrypted a message. */
      decrypted: (attrs: BinaryNode['attrs'], message: proto.IMessage): Promise<void> =>
        decryptedBytes(attrs, proto.Message.encode(message).finish()),
      decryptedBytes,
    };
  };

  return {
    stores,
    deviceId,
    creds,
    connect,
    /** Messages of the log, without what they are about. */
    said: () => lines.map((line) => String((JSON.parse(line) as { msg: unknown }).msg)),
    lines,
    /** The requests to the phone. */
    asked,
    /** The phone JIDs whose LIDs the network was asked for. */
    askedFor,
    async events(): Promise<readonly DeviceEvent[]> {
      return (await logOf(stores.events, deviceId)).map(({ event }) => event);
    },
    async [Symbol.asyncDispose]() {
      await stores.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};
