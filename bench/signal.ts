/**
 * Signal operations per second: our repository over a store in memory, against the one that Baileys brings. A session is
 * young after its setup and old after a hundred turns of conversation: Baileys' keeps every chain that it ever had. Then single
 * messages on a chain that is there, by us and by the bridge, in turns. `node bench/signal.ts [messages]`
 */
import { ProtocolAddress, SessionCipher, type SignalStorage } from 'whatsapp-rust-bridge';
import { openOnChain, sealOnChain } from '../src/whatsapp/signal/on-chain.ts';
import {
  decrypt,
  encrypt,
  establish,
  memoryStore,
  ourParty,
  type Party,
  type Sealed,
  stockParty,
} from '../test/whatsapp/signal/support.ts';

const messages = Number(process.argv[2] ?? 4_000);
const turns = 100;

const perSecond = async (count: number, run: (i: number) => Promise<void>): Promise<number> => {
  const start = performance.now();
  for (let i = 0; i < count; i += 1) await run(i);
  return (1_000 * count) / (performance.now() - start);
};

/** `near` is measured, `far` is the other end. */
const oneWay = async (near: Party, far: Party, count: number): Promise<readonly [number, number]> => {
  const outbound: Sealed[] = [];
  const encrypted = await perSecond(count, async (i) => {
    outbound.push(await encrypt(near, far, `message ${i}`));
  });
  for (const message of outbound) await decrypt(far, near, message);
  const inbound: Sealed[] = [];
  for (let i = 0; i < count; i += 1) inbound.push(await encrypt(far, near, `message ${i}`));
  const decrypted = await perSecond(count, async (i) => {
    await decrypt(near, far, inbound[i]!);
  });
  return [encrypted, decrypted];
};

/** Each turn is a message and its answer, with two steps of the ratchet on either end. */
const conversation = (near: Party, far: Party): Promise<number> =>
  perSecond(turns, async () => {
    await decrypt(far, near, await encrypt(near, far, 'ping'));
    await decrypt(near, far, await encrypt(far, near, 'pong'));
  });

const measure = async (party: (jid: string) => Party, count: number): Promise<readonly number[]> => {
  const [near, far] = [party('1000@lid'), party('2000@lid')];
  await establish(near, far);
  const young = await oneWay(near, far, count);
  const talk = await conversation(near, far);
  return [...young, talk, ...(await oneWay(near, far, count))];
};

const rows = [
  'encrypt, young session',
  'decrypt, young session',
  `conversation turns`,
  'encrypt, old session',
  'decrypt, old session',
];
// The first run of each is for the compiler.
for (const party of [ourParty, stockParty]) await measure((jid) => party(jid), messages / 4);
const ours = await measure((jid) => ourParty(jid), messages);
const stock = await measure((jid) => stockParty(jid), messages);

console.log('per second'.padEnd(24), 'ours'.padStart(8), 'stock'.padStart(8), 'ratio'.padStart(7));
for (const [i, row] of rows.entries()) {
  const [mine, theirs] = [ours[i]!, stock[i]!];
  console.log(
    row.padEnd(24),
    mine.toFixed(0).padStart(8),
    theirs.toFixed(0).padStart(8),
    (mine / theirs).toFixed(1).padStart(7),
  );
}

const peer = new ProtocolAddress('peer', 0);

/** One record, as the bridge alone works on it. */
class BridgeEnd implements SignalStorage {
  record: Uint8Array;

  constructor(record: Uint8Array) {
    this.record = record;
  }

  loadSession = (): Uint8Array => this.record;
  storeSessionRaw(_: string, record: Uint8Array): void {
    this.record = record;
  }
  storeSession(): void {}
  getOurIdentity = (): never => {
    throw new Error('Not asked for in an open session');
  };
  getOurRegistrationId = (): number => 0;
  isTrustedIdentity = (): boolean => true;
  loadPreKey = (): null => null;
  removePreKey(): void {}
  loadSignedPreKey = (): null => null;
  loadSenderKey = (): null => null;
  storeSenderKey(): void {}

  async run<T>(work: (cipher: SessionCipher) => Promise<T>): Promise<T> {
    const cipher = new SessionCipher(this, peer);
    try {
      return await work(cipher);
    } finally {
      cipher.free();
    }
  }
}

const plaintext = new Uint8Array(100);

/** The records of two ends, of which the first is to write to the second, which has its chain. */
const chainOfTwo = async (): Promise<readonly [Uint8Array, Uint8Array]> => {
  const stores = [memoryStore(), memoryStore()] as const;
  const [near, far] = [ourParty('1000@lid', { store: stores[0] }), ourParty('2000@lid', { store: stores[1] })];
  await establish(near, far);
  await decrypt(far, near, await encrypt(near, far, 'the chain'));
  const [one, other] = stores.map(({ keys }) => [...keys].find(([name]) => name.includes('/session/'))![1]);
  return [one!, other!];
};

/** CPU microseconds of each. */
const cpuOf = async (count: number, run: () => Promise<void>): Promise<number> => {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
};

const onChain = async (count: number): Promise<readonly number[]> => {
  const [near, far] = await chainOfTwo();
  const bridge = [new BridgeEnd(near), new BridgeEnd(far)] as const;
  const sealed: Uint8Array[] = [];
  const here = { near, far };
  /** What is left to the bridge: the counter takes a byte more. */
  const sealHere = async (): Promise<void> => {
    const one = sealOnChain(here.near, plaintext);
    const left = one === null ? new BridgeEnd(here.near) : null;
    sealed.push(one?.ciphertext ?? (await left!.run((cipher) => cipher.encrypt(plaintext))).body);
    here.near = one?.record ?? left!.record;
  };
  const openHere = async (message: Uint8Array): Promise<void> => {
    const one = openOnChain(here.far, 'msg', message);
    const left = one === null ? new BridgeEnd(here.far) : null;
    if (left !== null) await left.run((cipher) => cipher.decryptWhisperMessage(message));
    here.far = one?.record ?? left!.record;
  };
  const sealing = await cpuOf(count, async () => {
    for (let n = 0; n < count; n += 1) await sealHere();
  });
  const sealingThere = await cpuOf(count, async () => {
    for (let n = 0; n < count; n += 1) await bridge[0].run((cipher) => cipher.encrypt(plaintext));
  });
  const opening = await cpuOf(count, async () => {
    for (const message of sealed) await openHere(message);
  });
  const openingThere = await cpuOf(count, async () => {
    for (const message of sealed) await bridge[1].run((cipher) => cipher.decryptWhisperMessage(message));
  });
  if (Buffer.compare(here.near, bridge[0].record) !== 0 || Buffer.compare(here.far, bridge[1].record) !== 0)
    throw new Error('The records differ');
  return [sealing, sealingThere, opening, openingThere];
};

const rounds: (readonly number[])[] = [];
for (let round = 0; round < 6; round += 1) rounds.push(await onChain(messages));
console.log('\nCPU microseconds on a chain that is there, six rounds');
for (const [i, row] of ['encrypt, ours', 'encrypt, bridge', 'decrypt, ours', 'decrypt, bridge'].entries())
  console.log(row.padEnd(24), ...rounds.map((round) => round[i]!.toFixed(1).padStart(6)));
