/**
 * The network of 2026 against a client of stock Baileys 7.0.0-rc14: on today's network it fails at each line as it must, so the sandbox
 * bites; on the lenient network, which plays the one of before, it passes.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type BinaryNode, DEFAULT_CONNECTION_CONFIG } from 'baileys';
import { type Sandbox, startSandbox } from '../../../sandbox/src/sandbox.ts';
import { Companion } from '../../sandbox/companion.ts';
import { type Phones, phonesOf, type SandboxPhone } from '../../support/phones.ts';
import { eventually } from '../../support/wait.ts';
import { ada, bob } from '../steps.ts';

const cyd = '4915550003333';
const dot = '4915550004444';

interface Network {
  readonly era: 'today' | 'before';
  readonly sandbox: Sandbox;
  readonly phones: Phones;
  /** Linked to Ada. */
  readonly client: Companion;
  readonly bobsPhone: SandboxPhone;
  readonly dotsPhone: SandboxPhone;
  close(): Promise<void>;
}

const start = async (era: Network['era']): Promise<Network> => {
  const sandbox = await startSandbox({ addressing: era === 'today' ? 'strict' : 'lenient' });
  const phones = phonesOf(sandbox.controlUrl);
  await phones.add(ada, 'Ada');
  const bobsPhone = await phones.add(bob, 'Bob');
  await phones.add(cyd, 'Cyd');
  const dotsPhone = await phones.add(dot, 'Dot');
  if (era === 'today') await phones.behave(dot, { requiresToken: true });
  else await phones.faults({ statusAs: 'message', backlog: 'whole' });
  const client = new Companion(sandbox);
  await client.link((qr) => phones.scan(ada, qr));
  const close = async (): Promise<void> => {
    await client[Symbol.asyncDispose]();
    await sandbox.close();
  };
  return { era, sandbox, phones, client, bobsPhone, dotsPhone, close };
};

const shown = ({ phones }: Network, number: string, id: string) =>
  eventually(`${id} at ${number}`, async () => (await phones.messages(number)).find((each) => each.id === id));

/** Writes a message and waits for it: everything before it has been handled then. */
const mark = async ({ phones }: Network, who: Companion, to = ada): Promise<void> => {
  const [id] = await phones.write(cyd, { to, text: 'a mark' });
  await who.received(id!);
};

/** The code with which the network refuses a message; null where the phone shows it. */
const refusalOf = async (network: Network, jid: string, number: string): Promise<string | null> => {
  const { socket } = network.client;
  const acks: BinaryNode[] = [];
  socket.ws.on('CB:ack', (node: BinaryNode) => acks.push(node));
  const { key } = (await socket.sendMessage(jid, { text: 'hello' }))!;
  const { attrs } = await eventually('the ack', () => acks.find((node) => node.attrs.id === key.id));
  if (attrs.error !== undefined) return attrs.error;
  await shown(network, number, key.id!);
  return null;
};

/** Whether a status post comes again with the next connection. */
const comesAgain = async (network: Network): Promise<boolean> => {
  const { phones, client, era } = network;
  const { messageId } = await phones.request<{ messageId: string }>('POST', `/phones/${bob}/status`, { text: 'hi' });
  await mark(network, client);
  const isDone = async () => {
    const { pending } = await phones.stats();
    return !Object.keys(pending as object).some((jid) => jid.startsWith(`${ada}:`));
  };
  if (era === 'before') await eventually('everything to be acknowledged', isDone);
  await client.end();
  await eventually('the end of the connection', () => !client.isOpen);
  client.connect();
  const seen = new Set<string | undefined>();
  // The first frames are the handshake's.
  client.socket.ws.on('frame', ({ attrs }: Partial<BinaryNode>) => seen.add(attrs?.id));
  await eventually('an open connection', () => client.isOpen);
  await mark(network, client);
  return seen.has(messageId);
};

/** The client's reading of an edit, as phones write it in this era. */
const editRead = async (network: Network): Promise<string | null> => {
  const { phones, client, era } = network;
  const edits = new Map<string, string>();
  client.socket.ev.on('messages.update', (updates) => {
    for (const { key, update } of updates) {
      const text = update.message?.editedMessage?.message?.conversation;
      if (key.id && text) edits.set(key.id, text);
    }
  });
  const [id] = await phones.write(cyd, { to: ada, text: 'firts' });
  await client.received(id!);
  await phones.request('POST', `/phones/${cyd}/messages/${id}/edit`, { text: 'first', plain: era === 'before' });
  await mark(network, client);
  return edits.get(id!) ?? null;
};

/** Whether a device that is linked in the middle of a chat gets what is written then. */
const reachesNewDevice = async (network: Network): Promise<boolean> => {
  const { phones, client, sandbox, bobsPhone } = network;
  const write = async (text: string): Promise<string> => {
    const { key } = (await client.socket.sendMessage(bobsPhone.lid, { text }))!;
    await shown(network, bob, key.id!);
    return key.id!;
  };
  await write('before');
  await using other = new Companion(sandbox);
  await other.link((qr) => phones.scan(bob, qr));
  // The notice of the new device has come before this.
  await mark(network, client);
  const id = await write('after');
  await mark(network, other, bob);
  return other.messages.some(({ key, message }) => key.id === id && message);
};

/** How many waiting stanzas come, of 500 and more, before the network has nothing more to say. */
const ofBacklog = async ({ phones, client }: Network): Promise<number> => {
  await client.end();
  await eventually('the end of the connection', () => !client.isOpen);
  await phones.write(cyd, { to: ada, text: 'waiting', count: 500 });
  client.connect();
  let come = 0;
  // The first frames are the handshake's.
  client.socket.ws.on('frame', ({ attrs }: Partial<BinaryNode>) => void (come += attrs?.offline === undefined ? 0 : 1));
  await eventually('an open connection', () => client.isOpen);
  await eventually('the end of what is handed over', async () => {
    const seen = come;
    // The answer comes behind all that was sent before it.
    await client.socket.query({ tag: 'iq', attrs: { to: '@s.whatsapp.net', type: 'get', xmlns: 'w:p' } });
    return come > 0 && come === seen;
  });
  return come;
};

interface Line {
  readonly line: string;
  /** The client's experience on today's network, and on the previous one. */
  readonly today: unknown;
  readonly before: unknown;
  readonly meets: (network: Network) => Promise<unknown>;
}

const lines: readonly Line[] = [
  {
    line: 'a message to a phone JID',
    today: '463',
    before: null,
    meets: (network) => refusalOf(network, network.bobsPhone.jid, bob),
  },
  {
    line: 'a message to a LID, which any client may write to',
    today: null,
    before: null,
    meets: (network) => refusalOf(network, network.bobsPhone.lid, bob),
  },
  {
    line: 'a device query by phone JID',
    today: 0,
    before: 1,
    meets: async ({ client, dotsPhone }) => (await client.socket.getUSyncDevices([dotsPhone.jid], false, false)).length,
  },
  {
    line: 'a first message to a person who demands a token',
    today: '463',
    before: null,
    meets: (network) => refusalOf(network, network.dotsPhone.lid, dot),
  },
  { line: 'a status of a contact, which comes again', today: true, before: false, meets: comesAgain },
  { line: 'an edit', today: null, before: 'first', meets: editRead },
  { line: 'a message to a device that is linked meanwhile', today: false, before: true, meets: reachesNewDevice },
  // Nothing live comes after it.
  { line: 'a backlog of 500, in stanzas', today: 100, before: 500, meets: ofBacklog },
];

for (const era of ['today', 'before'] as const) {
  describe(`a stock client on the network of ${era === 'today' ? 'today' : 'before (lenient)'}`, () => {
    let network: Network;
    before(async () => {
      network = await start(era);
    });
    after(() => network.close());
    for (const each of lines) {
      it(`${each.line}: ${String(each[era])}`, async () => {
        assert.equal(await each.meets(network), each[era]);
      });
    }
  });
}

describe('a stock client whose revision is old', () => {
  const [, , revision] = DEFAULT_CONNECTION_CONFIG.version;
  const attempt = async (faults: object, use: (phones: Phones, client: Companion) => Promise<unknown>) => {
    const sandbox = await startSandbox();
    try {
      const phones = phonesOf(sandbox.controlUrl);
      await phones.add(ada, 'Ada');
      await phones.faults(faults);
      await using client = new Companion(sandbox);
      return await use(phones, client);
    } finally {
      await sandbox.close();
    }
  };
  const link = (phones: Phones, client: Companion) => client.link((qr) => phones.scan(ada, qr));

  it('is refused with 405', async () => {
    await attempt({ clientRevision: { accepted: revision + 1 } }, async (_phones, client) => {
      client.connect();
      assert.equal(await eventually('the refusal', () => client.closed), 405);
    });
  });

  it('or gets QRs, and cannot be linked', async () => {
    await attempt({ clientRevision: { linkable: revision + 1 } }, async (phones, client) => {
      await assert.rejects(link(phones, client), /Couldn't link device/);
    });
  });

  it('links where its revision is not too old yet', async () => {
    await attempt({}, link);
  });
});
