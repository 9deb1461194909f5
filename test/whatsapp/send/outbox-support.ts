/** An outbox with the driver's own addressing and lists, over a network that answers from tables. */
import { type AuthenticationCreds, type BinaryNode, proto, type USyncQuery } from 'baileys';
import type { MessageRecord } from '../../../src/domain/message.ts';
import { makeLog } from '../../../src/log.ts';
import { Addressing, DeviceLists } from '../../../src/whatsapp/identity/addressing.ts';
import { makeDeviceMemory } from '../../../src/whatsapp/state/device-memory.ts';
import { Departures, type DeparturesParts, type OutboundMessage, Outbox } from '../../../src/whatsapp/send/outbox.ts';
import { newCredentials } from '../../../src/whatsapp/signal/credentials.ts';
import { makeLidMapping } from '../../../src/whatsapp/signal/lid-mapping.ts';
import { askLids } from '../../../src/whatsapp/socket/account-queries.ts';
import type { Socket } from '../../../src/whatsapp/socket/socket.ts';
import { strictStanzas } from '../socket/strict-stanzas.ts';
import { memoryStore } from '../signal/support.ts';

const me = { id: '4915550000001:3@s.whatsapp.net', lid: '100001:3@lid' };

export const messageTo = (to: string, id: string, isGroup = false): OutboundMessage => {
  const message = proto.Message.create({ extendedTextMessage: { text: id } });
  const content = proto.Message.encode(message).finish();
  return {
    to,
    message,
    record: { id, isGroup, content, state: 'pending', acceptedAt: null } as MessageRecord & OutboundMessage['record'],
    stored: false,
  };
};

/** `bob` has no session yet, and his keys cannot be fetched. */
export const bob = '4915550000003@s.whatsapp.net';

/** The LIDs and devices that the network tells, by JID; whoever it does not know has none. */
export interface Told {
  readonly lids?: Readonly<Record<string, string>>;
  readonly devices?: (jid: string) => readonly number[];
  /** Whether the keys of `bob` can be fetched, and how often his session is gone before it is used. */
  readonly gone?: number;
}

const queried = ({ protocols, users }: USyncQuery): { readonly what: string; readonly jids: readonly string[] } => ({
  what: protocols.map(({ name }) => name).join(' '),
  jids: users.map(({ id }) => id!),
});

/** An outbox whose other parts note what they are asked for, in order; addresses and lists are the driver's own. */
export const startOutbox = ({ lids = {}, devices = () => [0], gone }: Told = {}) => {
  let left = gone ?? Infinity;
  const happened: string[] = [];
  const asked: string[] = [];
  const stanzas: BinaryNode[] = [];
  const encryptedFor: string[][] = [];
  const plaintexts = new Map<string, Uint8Array>();
  const given: string[] = [];
  const creds: AuthenticationCreds = { ...newCredentials(), me };
  const store = { broken: false, commit: async () => void happened.push('commit') };
  const sock = {
    stanzas: strictStanzas(),
    isOpen: true,
    creds,
    async usync(query: USyncQuery) {
      const { what, jids } = queried(query);
      asked.push(`${what} ${jids.join(' ')}`);
      const list = jids.map((id) => ({
        id,
        lid: lids[id],
        devices: { deviceList: devices(id).map((device) => ({ id: device, keyIndex: device })) },
      }));
      return { list, sideList: [] };
    },
  };
  const lidMapping = makeLidMapping({ deviceId: 1, store: memoryStore() });
  const asking = sock as unknown as Socket;
  lidMapping.askWith((phones) => askLids(asking, phones));
  const memory = makeDeviceMemory();
  const lists = new DeviceLists({ sock: asking, creds, cache: memory.userDevices, mapping: lidMapping });
  const parts = {
    deviceId: 1,
    sock,
    line: {
      send(nodes: readonly BinaryNode[]) {
        happened.push(...nodes.map(({ attrs }) => `frame ${attrs.id}`));
        stanzas.push(...nodes);
      },
    },
    store,
    tokens: { nodeFor: async () => null, give: (to: string) => void given.push(to) },
    addressing: new Addressing(creds, lidMapping),
    devices: lists,
    async beginSessions(jids: readonly string[]) {
      if (gone === undefined) throw new Error('no keys');
      happened.push(`begin ${jids.join(' ')}`);
      return new Set();
    },
    groupSends: {
      async prepare({ record }: OutboundMessage) {
        happened.push(`group ${record.id}`);
        return { tag: 'message', attrs: { id: record.id } };
      },
    },
    encrypt: async (
      batch: readonly { jid: string; plaintext: Uint8Array }[],
      { messages = [] }: { messages?: readonly MessageRecord[] },
      lenient: boolean,
    ) => {
      const missing = batch.map(({ jid }) => jid).filter((jid) => jid.startsWith('4915550000003'));
      if (missing.length > 0 && !lenient) return { encrypted: [], missing };
      encryptedFor.push(batch.map(({ jid }) => jid));
      for (const { jid, plaintext } of batch) plaintexts.set(jid, plaintext);
      // Written before anything of it can leave.
      await new Promise((resolve) => setImmediate(resolve));
      happened.push(`written ${messages.map(({ id }) => id).join(' ')}`.trim());
      const isGone = missing.length > 0 && (left -= 1) >= 0;
      const payload = { type: 'msg', ciphertext: new Uint8Array([1]) };
      return { encrypted: batch.map(({ jid }) => (isGone && missing.includes(jid) ? null : payload)), missing: [] };
    },
    log: makeLog('silent'),
  } as unknown as DeparturesParts;
  const outbox = new Outbox(new Departures(parts).depart, Date);
  return {
    outbox,
    happened,
    asked,
    stanzas,
    encryptedFor,
    plaintexts,
    given,
    sock,
    store,
    creds,
    lidMapping,
    lists,
    memory,
  };
};

export const ann = '4915550000002@s.whatsapp.net';
export const group = '120363@g.us';
