/** Texts to groups between this driver and stock Baileys: who gets the sender key, when it is another one, and who cannot read any more. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { BinaryNode } from 'baileys';
import { childOf, childrenOf } from '../../../sandbox/src/base/nodes.ts';
import { Companion } from '../../sandbox/companion.ts';
import { eventually } from '../../support/wait.ts';
import { quietGroup } from '../../support/groups.ts';
import { makeLog } from '../../../src/log.ts';
import { GroupSends } from '../../../src/whatsapp/send/group-sends.ts';
import { newCredentials } from '../../../src/whatsapp/signal/credentials.ts';
import { type Rig, startRig, type Watched } from '../driver.support.ts';
import { messageTo } from './outbox-support.ts';

const [ann, bob, cyd, dan] = ['4915300000021', '4915300000022', '4915300000023', '4915300000024'] as const;

describe('texts to groups', () => {
  let rig: Rig;
  let watched: Watched;
  let deviceId: number;
  let bobs: Companion;
  let cyds: Companion;
  let group: string;
  /** Messages of the device as the network got them, and its questions. */
  const stanzas: BinaryNode[] = [];
  /** Messages as Bob's companion got them. */
  const seen: BinaryNode[] = [];
  const patch = (body: object, jid = group): Promise<unknown> => rig.phones.request('PATCH', `/groups/${jid}`, body);
  /** Changes members, and waits until the device has kept the notice. */
  const members = async (): Promise<number> => (await rig.stores.groups.find(deviceId, group))!.members.length;
  const change = async (body: { add?: readonly string[]; remove?: readonly string[] }): Promise<void> => {
    const due = (await members()) + (body.add?.length ?? 0) - (body.remove?.length ?? 0);
    await patch(body);
    await eventually('the notice', async () => (await members()) === due);
  };
  const make = async (participants: readonly string[]): Promise<string> =>
    (await rig.phones.request<{ jid: string }>('POST', '/groups', { subject: 'Us', owner: bob, participants })).jid;
  const textTo = async (jid: string, text: string): Promise<BinaryNode> => {
    const { record } = await rig.send(watched, jid, { kind: 'text', text });
    return stanzas.findLast(({ tag, attrs }) => tag === 'message' && attrs.id === record.id)!;
  };
  const say = (text: string): Promise<BinaryNode> => textTo(group, text);
  /** The devices that a message brought the sender key. */
  const keyed = (stanza: BinaryNode): string[] =>
    childrenOf(childOf(stanza, 'participants'))
      .map(({ attrs }) => attrs.jid!)
      .sort();
  const questions = (xmlns: string): number =>
    stanzas.filter(({ tag, attrs }) => tag === 'iq' && attrs.xmlns === xmlns).length;
  const lidOf = async (number: string): Promise<string> =>
    (await rig.phones.request<{ phone: { lid: string } }>('GET', `/phones/${number}`)).phone.lid;
  /** A device's JIDs: the phone's, and that of a companion. */
  const devicesOf = async (number: string, ...ids: number[]): Promise<string[]> => {
    const lid = await lidOf(number);
    return [lid, ...ids.map((id) => lid.replace('@', `:${id}@`))];
  };
  const all = async (...lists: Promise<string[]>[]): Promise<string[]> => (await Promise.all(lists)).flat().sort();
  const shows = (number: string, text: string): Promise<unknown> =>
    eventually(text, async () => (await rig.phones.messages(number)).some((each) => each.text === text));
  const reads = (companion: Companion, text: string): Promise<unknown> =>
    eventually(text, () => companion.messages.find(({ message }) => JSON.stringify({ message }).includes(`"${text}"`)));
  const idOf = (companion: Companion): number => Number(/:(\d+)@/.exec(companion.socket.user!.id)![1]);

  before(async () => {
    rig = await startRig(undefined, undefined, (entry) => {
      if (entry.kind === 'stanza' && entry.from === 'client' && entry.number === ann) stanzas.push(entry.node);
    });
    for (const [number, name] of [
      [bob, 'Bob'],
      [cyd, 'Cyd'],
      [dan, 'Dan'],
    ] as const)
      await rig.phones.add(number, name);
    ({ watched, deviceId } = await rig.linked(ann, 'Ann'));
    [bobs, cyds] = [new Companion(rig.sandbox), new Companion(rig.sandbox)];
    await bobs.link((qr) => rig.phones.scan(bob, qr));
    await cyds.link((qr) => rig.phones.scan(cyd, qr));
    bobs.socket.ws.on('CB:message', (node: BinaryNode) => void seen.push(node));
    group = await make([ann, cyd]);
    await eventually('the notice', () => rig.stores.groups.find(deviceId, group));
  });
  after(async () => {
    await Promise.all([bobs, cyds].map((client) => client?.[Symbol.asyncDispose]()));
    await rig[Symbol.asyncDispose]();
  });

  it('the first brings each device the key, later ones nothing; a group of which there was a notice is not asked for', async () => {
    const asked = questions('w:g2');
    const everybody = await all(devicesOf(ann), devicesOf(bob, idOf(bobs)), devicesOf(cyd, idOf(cyds)));
    assert.deepEqual(keyed(await say('one')), everybody);
    assert.deepEqual(keyed(await say('two')), []);
    assert.equal(questions('w:g2') - asked, 0);
    await shows(bob, 'two');
    await reads(bobs, 'two');
    await reads(cyds, 'two');
  });

  it('who comes gets the key with the next message, and nobody else does', async () => {
    await change({ add: [dan] });
    assert.deepEqual(keyed(await say('three')), await all(devicesOf(dan)));
    await shows(dan, 'three');
    assert.deepEqual(keyed(await say('four')), []);
  });

  it('who is removed gets nothing, and cannot read what comes after; those who stay have another key', async () => {
    const author = seen.at(-1)!.attrs.participant!;
    const open = (node: BinaryNode): Promise<Uint8Array> =>
      cyds.socket.signalRepository.decryptGroupMessage({
        group,
        authorJid: author,
        msg: childrenOf(node).findLast(({ attrs }) => attrs.type === 'skmsg')!.content as Uint8Array,
      });
    const got = async (text: string): Promise<BinaryNode> => {
      const { attrs } = await say(text);
      return eventually(text, () => seen.find((node) => node.attrs.id === attrs.id));
    };
    // What she has not got as a member she could read: she holds the key.
    cyds.socket.ws.removeAllListeners('CB:message');
    assert.ok((await open(await got('five'))).length > 0);

    await change({ remove: [cyd] });
    const stanza = await got('six');
    const sent = stanzas.findLast(({ tag }) => tag === 'message')!;
    const stay = await all(devicesOf(ann), devicesOf(bob, idOf(bobs)), devicesOf(dan));
    assert.deepEqual(keyed(sent), stay);
    await assert.rejects(open(stanza), /sender key|session|state/i);
    await shows(dan, 'six');
    assert.equal(
      (await rig.phones.messages(cyd)).some(({ text }) => text === 'six'),
      false,
    );
    await reads(bobs, 'six');
    assert.deepEqual(keyed(await say('seven')), []);
    // The same where somebody leaves.
    const former = await members();
    await rig.phones.request('POST', `/phones/${dan}/leave`, { group });
    await eventually('the notice', async () => (await members()) === former - 1);
    assert.deepEqual(keyed(await say('eight')), await all(devicesOf(ann), devicesOf(bob, idOf(bobs))));
    assert.deepEqual(keyed(await say('nine')), []);
  });

  it('a removed member who asks for a message again gets nothing; a member gets it, and the key', async () => {
    await change({ add: [dan] });
    const first = await say('ten');
    await shows(dan, 'ten');
    assert.deepEqual(keyed(first), await all(devicesOf(dan)));
    const start = stanzas.length;
    const ask = async (by: Companion): Promise<void> => {
      const author = (await lidOf(ann)).replace('@', `:${deviceOf()}@`);
      const attrs = { id: first.attrs.id!, to: group, type: 'retry', participant: author };
      const retry = { tag: 'retry', attrs: { count: '1', id: first.attrs.id!, t: '1', v: '1' } };
      const registration = { tag: 'registration', attrs: {}, content: Buffer.from([0, 0, 0, 1]) };
      await by.socket.sendNode({ tag: 'receipt', attrs, content: [retry, registration] });
    };
    const deviceOf = (): number => Number(/:(\d+)@/.exec(seen.at(-1)!.attrs.participant!)![1]);
    const again = (): BinaryNode[] =>
      stanzas.slice(start).filter(({ tag, attrs }) => tag === 'message' && attrs.id === first.attrs.id);
    await ask(cyds);
    await ask(bobs);
    await eventually('the message again', () => again().length > 0);
    assert.deepEqual(
      again().map(({ attrs }) => [attrs.to, attrs.participant]),
      [[group, (await devicesOf(bob, idOf(bobs)))[1]]],
    );
    assert.deepEqual(keyed(await say('eleven')), [(await devicesOf(bob, idOf(bobs)))[1]]);
  });

  it('a message that the network refuses brings nobody the key', async () => {
    const closed = await make([ann]);
    await patch({ announceOnly: true }, closed);
    await assert.rejects(
      textTo(closed, 'refused'),
      /^InvalidRequest: to cannot be written to: only administrators write/,
    );
    await patch({ announceOnly: false }, closed);
    const taken = await textTo(closed, 'taken');
    assert.deepEqual(keyed(taken), await all(devicesOf(ann), devicesOf(bob, idOf(bobs))));
    assert.deepEqual(keyed(await textTo(closed, 'once more')), []);
  });

  it('a list that is outdated is asked for again when the network says so; the stored group is, too', async () => {
    const other = await make([ann, cyd]);
    await textTo(other, 'one');
    const stored = (await rig.stores.groups.find(deviceId, other))!;
    // As if the notice of Dan's coming had been lost.
    await patch({ add: [dan] }, other);
    const told = await eventually('the notice', async () => {
      const kept = await rig.stores.groups.find(deviceId, other);
      return kept?.members.length === 4 && kept;
    });
    // A notice whose acknowledgement is lost comes again.
    await eventually('its acknowledgement', async () => {
      const { pending } = await rig.phones.stats();
      return Object.keys(pending as object).every((jid) => !jid.startsWith(`${ann}:`));
    });
    await watched.session.close();
    await rig.stores.changes.commit(deviceId, { groups: [{ ...told, members: stored.members }] });
    watched = rig.connect(deviceId);
    await watched.opened();
    const asked = questions('w:g2');
    assert.deepEqual(keyed(await textTo(other, 'two')), []);
    await eventually('the doubt', async () => (await rig.stores.groups.find(deviceId, other))?.checkedAt === 0);
    assert.deepEqual(keyed(await textTo(other, 'three')), await all(devicesOf(dan)));
    assert.equal(questions('w:g2') - asked, 1);
    for (const text of ['two', 'three']) await shows(dan, text);
    const events = await rig.events(deviceId);
    const added = events.filter(({ event }) => event.type === 'group.updated' && event.data.group === other);
    assert.equal(added.length, 2, 'told by the notice, and once more because what was kept was changed');
    // A group that names people by number, which the network tells nobody.
    await patch({ addressingMode: 'pn' }, other);
    await textTo(other, 'by number');
    // All ask for it again, as they know the key under another address. None may do so during the next test.
    for (const number of [ann, bob, cyd, dan]) await shows(number, 'by number');
    await reads(bobs, 'by number');
    assert.equal((await rig.stores.groups.find(deviceId, other))?.addressing, 'phone');
  });

  it('of 62 members each gets the key and each text once, and the tenth text brings no keys', async () => {
    const numbers = Array.from({ length: 60 }, (_, n) => String(4_915_310_000_000 + n));
    await Promise.all(numbers.map((number) => rig.phones.add(number, number)));
    const large = await make([ann, ...numbers]);
    const stats = async () => (await rig.phones.stats()) as unknown as Readonly<Record<string, number>>;
    const [earlier, asked] = [await stats(), questions('encrypt')];
    const devices = keyed(await textTo(large, 'text 1'));
    assert.equal(new Set(devices).size, devices.length);
    assert.equal(devices.length, numbers.length + (await all(devicesOf(ann), devicesOf(bob, idOf(bobs)))).length);
    assert.equal(questions('encrypt') - asked, 1);
    for (let n = 2; n <= 10; n += 1) assert.deepEqual(keyed(await textTo(large, `text ${n}`)), []);
    const due = 10 * (numbers.length + 2);
    const received = async () => (await stats())['phonesReceived']! - earlier['phonesReceived']!;
    await eventually('all texts', async () => (await received()) >= due);
    const { duplicates, decryptFailures } = await stats();
    assert.deepEqual([duplicates, decryptFailures], [earlier['duplicates'], earlier['decryptFailures']]);
    assert.equal(await received(), due);
  });
});

it('keys for a group of 250 are asked for and encrypted 100 at a time', async () => {
  const batches: (readonly [what: string, count: number])[] = [];
  const members = Array.from({ length: 250 }, (_, n) => ({
    person: { jid: `${n + 1}@lid`, number: null, lid: `${n + 1}@lid` },
    admin: false,
  }));
  const sends = new GroupSends({
    deviceId: 1,
    creds: { ...newCredentials(), me: { id: '4915550000001:3@s.whatsapp.net', lid: '100001:3@lid' } },
    store: { readKeys: async () => new Map(), commit: async () => {} },
    devices: { of: async (jids) => jids.map((jid) => [{ user: jid.split('@')[0]!, server: 'lid', device: 0 }]) },
    groupOf: async () => ({ ...quietGroup, members }),
    async encrypt(plaintexts, _changes, lenient) {
      const jids = plaintexts.map(({ jid }) => jid);
      if (!lenient) return { encrypted: [], missing: jids };
      batches.push(['encrypted', jids.length]);
      return { encrypted: jids.map(() => ({ type: 'pkmsg', ciphertext: new Uint8Array(1) })), missing: [] };
    },
    encryptForGroup: async () => ({ ciphertext: new Uint8Array(1), distribution: new Uint8Array(1) }),
    async beginSessions(jids) {
      batches.push(['asked for', jids.length]);
      return new Set();
    },
    log: makeLog('silent'),
  });
  const stanza = await sends.prepare(messageTo(quietGroup.jid, 'A', true));
  assert.deepEqual(
    batches,
    [100, 100, 50].flatMap((count) => [
      ['asked for', count],
      ['encrypted', count],
    ]),
  );
  assert.equal(childrenOf(childOf(stanza, 'participants')).length, 250);
});
