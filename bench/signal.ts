/**
 * Signal operations per second: our repository over a store in memory, against the one that Baileys brings. A session is
 * young after its setup and old after a hundred turns of conversation: Baileys' keeps every chain that it ever had.
 * `node bench/signal.ts [messages]`
 */
import {
  decrypt,
  encrypt,
  establish,
  ourParty,
  type Party,
  type Sealed,
  stockParty,
} from '../test/whatsapp/signal.support.ts';

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
