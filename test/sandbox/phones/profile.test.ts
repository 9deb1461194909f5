/** Profiles between two stock clients: what one sets, the network keeps and tells, and the other reads. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { BinaryNode } from 'baileys';
import sharp from 'sharp';
import { Agent, fetch } from 'undici';
import { type Sandbox, startSandbox } from '../../../sandbox/src/sandbox.ts';
import type { Phone } from '../../../sandbox/src/phones/phone.ts';
import { phonesOf } from '../../support/phones.ts';
import { eventually } from '../../support/wait.ts';
import { Companion } from '../companion.ts';

const once = { quotedId: null, count: 1 };
const square = (red: number): Promise<Buffer> =>
  sharp({ create: { width: 32, height: 32, channels: 3, background: { r: red, g: 0, b: 0 } } })
    .png()
    .toBuffer();

describe('profiles', () => {
  let sandbox: Sandbox;
  let adasPhone: Phone;
  let bobsPhone: Phone;
  let ada: Companion;
  let bob: Companion;
  let agent: Agent;
  /** Notifications that a client gets while `work` runs and until one fits. */
  const told = async (
    client: Companion,
    work: () => Promise<unknown>,
    fits: (node: BinaryNode) => boolean,
  ): Promise<BinaryNode> => {
    const seen: BinaryNode[] = [];
    const note = (node: BinaryNode): void => void seen.push(node);
    client.socket.ws.on('CB:notification', note);
    try {
      await work();
      return await eventually('the notification', () => seen.find(fits));
    } finally {
      client.socket.ws.off('CB:notification', note);
    }
  };
  const ofType =
    (type: string, child: string) =>
    ({ attrs, content }: BinaryNode): boolean =>
      attrs.type === type && Array.isArray(content) && content[0]?.tag === child;
  const childOf = ({ content }: BinaryNode): BinaryNode => (Array.isArray(content) ? content[0]! : assert.fail());

  before(async () => {
    sandbox = await startSandbox({ addressing: 'lenient' });
    adasPhone = sandbox.phones.create('4915170000001', 'Ada');
    bobsPhone = sandbox.phones.create('4915170000002', 'Bob');
    ada = new Companion(sandbox);
    bob = new Companion(sandbox);
    agent = new Agent({ connect: { ca: sandbox.mediaCa } });
    await ada.link((qr) => adasPhone.scan(qr));
    await bob.link((qr) => bobsPhone.scan(qr));
    const [id] = await adasPhone.writer.write(
      bobsPhone.account.jid,
      { kind: 'text', text: 'we know each other' },
      once,
    );
    await bob.received(id!);
  });
  after(async () => {
    await Promise.all([ada[Symbol.asyncDispose](), bob[Symbol.asyncDispose](), agent.close()]);
    await sandbox.close();
  });

  const me = (client: Companion): string => client.socket.user!.id;
  const load = async (url: string | undefined) => {
    const answer = await fetch(url!, { dispatcher: agent });
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'image/jpeg']);
    return sharp(Buffer.from(await answer.arrayBuffer())).metadata();
  };

  it('a picture is kept in two sizes, the other hears of it and loads it, and it goes when it is removed', async () => {
    const { jid } = adasPhone.account;
    await assert.rejects(bob.socket.profilePictureUrl(jid), /item-not-found/);
    const notice = await told(
      bob,
      async () => ada.socket.updateProfilePicture(me(ada), await square(200)),
      ofType('picture', 'set'),
    );
    assert.equal(notice.attrs.from, jid);
    assert.match(childOf(notice).attrs.id ?? '', /^\d+$/);
    for (const [type, width] of [
      ['image', 640],
      ['preview', 96],
    ] as const) {
      const { format, width: loaded } = await load(await bob.socket.profilePictureUrl(jid, type));
      assert.deepEqual([format, loaded], ['jpeg', width]);
    }
    await told(bob, () => ada.socket.removeProfilePicture(me(ada)), ofType('picture', 'delete'));
    await assert.rejects(bob.socket.profilePictureUrl(jid), /item-not-found/);
  });

  it('a picture that is none is refused, and so is a picture for somebody else', async () => {
    const set = (target: string | null, bytes: Buffer) =>
      ada.socket.query({
        tag: 'iq',
        attrs: { to: '@s.whatsapp.net', type: 'set', xmlns: 'w:profile:picture', ...(target && { target }) },
        content: [{ tag: 'picture', attrs: { type: 'image' }, content: bytes }],
      });
    await assert.rejects(set(null, Buffer.from('no picture')), /not-acceptable/);
    await assert.rejects(set(bobsPhone.account.jid, await square(1)), /forbidden/);
  });

  it('a group has a picture, which its members set and see', async () => {
    const { id } = await ada.socket.groupCreate('Friends', [bobsPhone.account.lid]);
    const set = async () => ada.socket.updateProfilePicture(id, await square(50));
    const isSet = ofType('picture', 'set');
    const own = Promise.withResolvers<BinaryNode>();
    const notice = await told(bob, async () => own.resolve(await told(ada, set, isSet)), isSet);
    assert.deepEqual(childOf(await own.promise).attrs, childOf(notice).attrs, 'the device that sets it is told, too');
    assert.deepEqual([notice.attrs.from, childOf(notice).attrs.author], [id, adasPhone.account.lid]);
    assert.equal((await load(await bob.socket.profilePictureUrl(id))).width, 96);
    await bob.socket.groupLeave(id);
    await assert.rejects(bob.socket.profilePictureUrl(id), /forbidden/);
  });

  it('a text about oneself is told and read, and hidden from whom it is to be hidden', async () => {
    const about = async () =>
      (await bob.socket.fetchStatus(adasPhone.account.jid))?.[0]?.['status'] as { status: unknown };
    assert.equal((await about()).status, null);
    const notice = await told(bob, () => ada.socket.updateProfileStatus('At the sea'), ofType('status', 'set'));
    assert.deepEqual([notice.attrs.from, notice.attrs.notify], [adasPhone.account.jid, 'Ada']);
    assert.deepEqual(childOf(notice).content, Buffer.from('At the sea'));
    assert.equal((await about()).status, 'At the sea');
    await ada.socket.updateStatusPrivacy('none');
    assert.equal((await about()).status, '');
    await ada.socket.updateStatusPrivacy('all');
    assert.equal((await about()).status, 'At the sea');
  });

  it('a name goes to the phone and stands on messages', async () => {
    await eventually('the key of the application state', () => ada.creds.myAppStateKeyId);
    await ada.socket.updateProfileName('Ada L.');
    await eventually('the name at the phone', () => adasPhone.account.name === 'Ada L.');
    const { key } = (await ada.socket.sendMessage(bobsPhone.account.jid, { text: 'who am I' }))!;
    assert.equal((await bob.received(key.id!)).pushName, 'Ada L.');
  });

  it('privacy settings are kept, other devices of the account hear of them, and they are obeyed', async () => {
    await using second = new Companion(sandbox);
    await second.link((qr) => bobsPhone.scan(qr));
    const changes = [
      [() => bob.socket.updateLastSeenPrivacy('none'), 'last', 'none'],
      [() => bob.socket.updateOnlinePrivacy('match_last_seen'), 'online', 'match_last_seen'],
      [() => bob.socket.updateProfilePicturePrivacy('contacts'), 'profile', 'contacts'],
      [() => bob.socket.updateReadReceiptsPrivacy('none'), 'readreceipts', 'none'],
      [() => bob.socket.updateGroupsAddPrivacy('contacts'), 'groupadd', 'contacts'],
      [() => bob.socket.updateCallPrivacy('known'), 'calladd', 'known'],
      [() => bob.socket.updateMessagesPrivacy('contacts'), 'messages', 'contacts'],
    ] as const;
    for (const [change, name, value] of changes) {
      const notice = await told(second, change, ofType('account_sync', 'privacy'));
      assert.deepEqual(childOf(childOf(notice)).attrs, { name, value });
    }
    const kept = await second.socket.fetchPrivacySettings(true);
    for (const [, name, value] of changes) assert.equal(kept[name], value);
    assert.equal(kept['status'], 'all');

    await bob.socket.updateProfilePicture(me(bob), await square(100));
    await assert.rejects(ada.socket.profilePictureUrl(bobsPhone.account.jid), /not-authorized/);
    const group = await ada.socket.groupCreate('Us', [bobsPhone.account.lid]);
    assert.equal((await ada.socket.groupMetadata(group.id)).size, 1);
    const [added] = await ada.socket.groupParticipantsUpdate(group.id, [bobsPhone.account.lid], 'add');
    assert.equal(added?.status, '403');
    // A token is what makes somebody a contact.
    await bobsPhone.giveToken(adasPhone.account);
    assert.ok(await ada.socket.profilePictureUrl(bobsPhone.account.jid));
    const [again] = await ada.socket.groupParticipantsUpdate(group.id, [bobsPhone.account.lid], 'add');
    assert.equal(again?.status, '200');
    await bob.socket.updateProfilePicturePrivacy('none');
    await assert.rejects(ada.socket.profilePictureUrl(bobsPhone.account.jid), /not-authorized/);
    const set = { tag: 'privacy', attrs: {}, content: [{ tag: 'category', attrs: { name: 'last', value: 'some' } }] };
    const iq = { tag: 'iq', attrs: { to: '@s.whatsapp.net', type: 'set', xmlns: 'privacy' }, content: [set] };
    await assert.rejects(bob.socket.query(iq), /bad-request/);
    await bob.socket.updateProfilePicturePrivacy('all');
  });

  it('the time for which messages of new chats are kept is read by others, and told to them', async () => {
    const notice = await told(
      bob,
      () => ada.socket.updateDefaultDisappearingMode(86_400),
      ofType('disappearing_mode', 'disappearing_mode'),
    );
    assert.equal(childOf(notice).attrs.duration, '86400');
    const [kept] = (await bob.socket.fetchDisappearingDuration(adasPhone.account.jid)) ?? [];
    assert.equal((kept?.['disappearing_mode'] as { duration: number } | undefined)?.duration, 86_400);
  });

  it('a block list is told to the other devices; who is blocked sees neither picture nor text, and calls nobody', async () => {
    const { lid } = adasPhone.account;
    await using second = new Companion(sandbox);
    await second.link((qr) => bobsPhone.scan(qr));
    const notice = await told(
      second,
      () => bob.socket.updateBlockStatus(lid, 'block'),
      ofType('account_sync', 'blocklist'),
    );
    assert.deepEqual(childOf(childOf(notice)).attrs, { jid: lid, action: 'block' });
    assert.deepEqual(await second.socket.fetchBlocklist(), [lid]);
    await bob.socket.updateProfilePicture(me(bob), await square(10));
    await assert.rejects(ada.socket.profilePictureUrl(bobsPhone.account.jid), /not-authorized/);
    const calls: unknown[] = [];
    bob.socket.ev.on('call', (events) => calls.push(...events));
    adasPhone.calls.ring(bobsPhone.account.jid, false);
    await told(second, () => bob.socket.updateBlockStatus(lid, 'unblock'), ofType('account_sync', 'blocklist'));
    assert.deepEqual(await bob.socket.fetchBlocklist(), []);
    adasPhone.calls.ring(bobsPhone.account.jid, false);
    await eventually('the second call', () => calls.length > 0);
    assert.equal(calls.length, 1);
  });

  it("the phone's owner sets the same, and reads it through the control interface", async () => {
    const phones = phonesOf(sandbox.controlUrl);
    const path = '/phones/4915170000002/profile';
    const change = {
      about: 'Busy',
      pictureBase64: (await square(7)).toString('base64'),
      privacy: { last: 'contacts' },
      disappearingSeconds: 604_800,
    };
    const { profile } = await phones.request<{
      profile: { picture: { url: string }; privacy: { last: string }; about: string; disappearingSeconds: number };
    }>('PATCH', path, change);
    const { about, privacy, disappearingSeconds } = profile;
    assert.deepEqual([about, privacy.last, disappearingSeconds], ['Busy', 'contacts', 604_800]);
    await load(profile.picture.url);
    assert.deepEqual(await phones.request('GET', path), { profile });
    const [seen] = (await ada.socket.fetchStatus(bobsPhone.account.jid)) ?? [];
    assert.equal((seen?.['status'] as { status: string } | undefined)?.status, 'Busy');
    const none = await phones.request<{ profile: { picture: null } }>('PATCH', path, { pictureBase64: null });
    assert.equal(none.profile.picture, null);
    await assert.rejects(phones.request('PATCH', path, { privacy: { last: 'some' } }), /privacy\.last must be one of/);
  });
});
