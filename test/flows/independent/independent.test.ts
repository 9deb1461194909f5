/** Independent clients: stock Baileys sockets with none of our code, alone and beside the service in one sandbox. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Companion, type Place } from '../../sandbox/companion.ts';
import { type Installation, startInstallation } from '../../support/installation.ts';
import { eventually } from '../../support/wait.ts';
import { linkDevice, untilEvent, untilShown } from '../steps.ts';

const ada = '4915550001111';
const bob = '4915550002222';
const cyd = '4915550003333';
const dot = '4915550004444';
const eve = '4915550005555';

const jidOf = (number: string): string => `${number}@s.whatsapp.net`;
const textOf = ({ message }: Companion['messages'][number]): string | null | undefined =>
  message?.conversation ?? message?.extendedTextMessage?.text;

describe('independent clients', () => {
  let installation: Installation;
  let place: Place;
  /** Linked to Ada by QR, and to Bob by code. */
  let byQr: Companion;
  let byCode: Companion;
  const shown = (number: string, id: string) =>
    eventually(`${id} at ${number}`, async () =>
      (await installation.phones.messages(number)).find((message) => message.id === id),
    );
  const write = async (from: string, to: string, text: string): Promise<string> =>
    (await installation.phones.write(from, { to, text }))[0]!;

  before(async () => {
    // They write to phone JIDs, which today's network refuses.
    installation = await startInstallation({}, undefined, undefined, { addressing: 'lenient' });
    place = await installation.phones.request<Place>('GET', '');
    for (const [number, name] of Object.entries({ [ada]: 'Ada', [bob]: 'Bob', [cyd]: 'Cyd', [dot]: 'Dot' })) {
      await installation.phones.add(number, name);
    }
    byQr = new Companion(place);
    byCode = new Companion(place);
  });
  after(async () => {
    await Promise.all([byQr.end(), byCode.end()]);
    await installation[Symbol.asyncDispose]();
  });

  it('one pairs by QR, another by code', async () => {
    await byQr.link((qr) => installation.phones.scan(ada, qr));
    await byCode.linkByCode(bob, (code) => installation.phones.enterCode(bob, code));
    assert.equal(byQr.socket.user?.name, 'Ada');
    assert.match(byCode.socket.user?.lid ?? '', /@lid$/);
    for (const number of [ada, bob]) {
      assert.equal((await installation.phones.get(number)).linkedDevices.length, 1);
    }
  });

  it('they chat in both directions, with each other and with a phone, and see the push name', async () => {
    const out = await byQr.socket.sendMessage(jidOf(bob), { text: 'from Ada' });
    const got = await byCode.received(out!.key.id!);
    assert.equal(textOf(got), 'from Ada');
    assert.equal(got.pushName, 'Ada');
    await shown(bob, out!.key.id!);

    const back = await byCode.socket.sendMessage(jidOf(ada), { text: 'from Bob' });
    assert.equal(textOf(await byQr.received(back!.key.id!)), 'from Bob');

    const fromPhone = await write(cyd, ada, 'from a phone');
    const heard = await byQr.received(fromPhone);
    assert.deepEqual([textOf(heard), heard.pushName], ['from a phone', 'Cyd']);
    const answer = await byQr.socket.sendMessage(heard.key.remoteJid!, { text: 'to a phone' }, { quoted: heard });
    assert.equal((await shown(cyd, answer!.key.id!)).text, 'to a phone');
  });

  it('they chat in a group, which one of them has made', async () => {
    const { id: group } = await byQr.socket.groupCreate('Friends', [jidOf(bob), jidOf(cyd)]);
    for (const [who, from] of [
      [byQr, ada],
      [byCode, bob],
    ] as const) {
      const sent = await who.socket.sendMessage(group, { text: `to all, from ${from}` });
      const other = who === byQr ? byCode : byQr;
      const got = await other.received(sent!.key.id!);
      assert.deepEqual([textOf(got), got.key.remoteJid], [`to all, from ${from}`, group]);
      assert.equal((await shown(cyd, sent!.key.id!)).text, `to all, from ${from}`);
    }
    const fromPhone = await write(cyd, group, 'me too');
    for (const who of [byQr, byCode]) assert.equal(textOf(await who.received(fromPhone)), 'me too');
  });

  it('they revoke, and hear of what others revoke', async () => {
    const sent = await byQr.socket.sendMessage(jidOf(bob), { text: 'oops' });
    await byCode.received(sent!.key.id!);
    await shown(bob, sent!.key.id!);
    await byQr.socket.sendMessage(jidOf(bob), { delete: sent!.key });
    const isRevoke = ({ message }: Companion['messages'][number]): boolean =>
      message?.protocolMessage?.key?.id === sent!.key.id;
    await eventually('the revoke at the other client', () => byCode.messages.find(isRevoke));
    const gone = await eventually('the revoke at the phone', async () =>
      (await installation.phones.messages(bob)).find(({ id, text }) => id === sent!.key.id && text === null),
    );
    assert.equal(gone.id, sent!.key.id);

    const theirs = await write(cyd, ada, 'never mind');
    await byQr.received(theirs);
    await installation.phones.request('POST', `/phones/${cyd}/messages/${theirs}/revoke`);
    await eventually('the revoke of the phone', () =>
      byQr.messages.find(({ message }) => message?.protocolMessage?.key?.id === theirs),
    );
  });

  it('one that was away finds its messages in order when it comes back', async () => {
    await byQr.end();
    const ids = await installation.phones.write(cyd, { to: ada, text: 'while you were away {n}', count: 20 });
    const fromClient = await byCode.socket.sendMessage(jidOf(ada), { text: 'and I' });
    byQr.connect();
    await byQr.received(fromClient!.key.id!);
    for (const id of ids) await byQr.received(id);
    const order = byQr.messages.map(({ key }) => key.id).filter((id) => id && ids.includes(id));
    assert.deepEqual(order, ids);
  });

  it('several of them and the service at once: every message arrives once, and all can read all', async () => {
    const id = await linkDevice(installation, dot);
    await installation.phones.add(eve, 'Eve');
    const more = new Companion(place);
    // A second device of Dot's account, beside the service's.
    const beside = new Companion(place);
    try {
      await Promise.all([
        more.link((qr) => installation.phones.scan(eve, qr)),
        beside.link((qr) => installation.phones.scan(dot, qr)),
      ]);
      const clients: readonly (readonly [string, Companion])[] = [
        [ada, byQr],
        [bob, byCode],
        [eve, more],
      ];
      const sends = clients.flatMap(([from, client]) =>
        [ada, bob, dot, eve].filter((to) => to !== from).map((to) => ({ from, client, to })),
      );
      const said = await Promise.all(
        sends.map(async ({ from, client, to }) => {
          const sent = await client.socket.sendMessage(jidOf(to), { text: `${from} to ${to}` });
          return { id: sent!.key.id!, to, text: `${from} to ${to}` };
        }),
      );
      for (const [to] of clients) {
        const message = `${dot} to ${to}`;
        const sent = await installation.api.post(`/devices/${id}/messages/text`, { toNumber: to, message });
        assert.equal(sent.status, 200);
        said.push({ id: sent.body.messageId, to, text: message });
        await beside.received(sent.body.messageId);
      }
      for (const { id: messageId, to, text } of said) {
        const client = clients.find(([number]) => number === to)?.[1] ?? beside;
        assert.equal(textOf(await client.received(messageId)), text);
        assert.equal((await shown(to, messageId)).text, text);
        if (to === dot) {
          const isIt = (data: { message: { id: string; text: string } }): boolean => data.message.id === messageId;
          await untilEvent(installation, id, 'message.received', isIt);
        }
      }
      await untilShown(installation, eve, `${dot} to ${eve}`);
      const stats = await installation.phones.stats();
      assert.equal(stats.decryptFailures, 0);
      assert.equal(stats.duplicates, 0);
    } finally {
      await Promise.all([more.end(), beside.end()]);
    }
  });
});
