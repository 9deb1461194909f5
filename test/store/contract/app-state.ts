/** The contract of application state: written with the commit of its collection, sealed, gone with the link. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AppStateChange } from '../../../src/domain/app-state.ts';
import { type OpenStore, bytes, chatA, chatB, lidA, textOf, withStore } from './fixture.ts';

const contact = (jid: string, name: string): AppStateChange => ({
  kind: 'contact',
  jid,
  value: { name, firstName: null, lid: null },
});

export const appStateContract = (open: OpenStore): void => {
  describe('application state', () => {
    it(
      'keeps each kind and each device apart, and the last of several changes',
      withStore(open, async ({ stores: { changes }, device, reopen }) => {
        const [one, two] = [(await device()).id, (await device()).id];
        await changes.commit(one, {
          keys: [{ type: 'app-state-sync-version', id: 'critical_unblock_low', value: bytes('1') }],
          appState: [
            contact(chatA, 'Ann'),
            contact(chatB, 'Bob'),
            { kind: 'mute', jid: chatA, value: { until: null } },
            { kind: 'archive', jid: chatA, value: { archived: true } },
            contact(chatA, 'Anna'),
          ],
        });
        await changes.commit(two, { appState: [contact(chatA, 'Somebody else')] });
        const { appState, changes: after, credentials: again } = await reopen();
        const names = async (id: number) =>
          new Map((await appState.list(id, 'contact')).map(({ jid, value }) => [jid, value.name]));
        const both = [
          [chatA, 'Anna'],
          [chatB, 'Bob'],
        ] as const;
        assert.deepEqual(await names(one), new Map(both));
        assert.deepEqual(await names(two), new Map([[chatA, 'Somebody else']]));
        assert.deepEqual(await appState.list(one, 'mute'), [{ kind: 'mute', jid: chatA, value: { until: null } }]);
        assert.deepEqual(await appState.list(one, 'pin'), []);
        const version = await again.readKeys(one, 'app-state-sync-version', ['critical_unblock_low']);
        assert.equal(textOf(version.get('critical_unblock_low')), '1');
        await after.commit(one, { appState: [{ kind: 'contact', jid: chatA, value: null }] });
        assert.deepEqual(await names(one), new Map([[chatB, 'Bob']]));
        assert.equal((await appState.list(one, 'archive')).length, 1, 'another kind of the same chat stays');
      }),
    );

    it(
      'begins anew with a snapshot: what it does not name is gone, other kinds stay',
      withStore(open, async ({ stores: { changes, appState }, device }) => {
        const { id } = await device();
        await changes.commit(id, {
          appState: [contact(chatA, 'Ann'), { kind: 'pin', jid: chatA, value: { at: 5 } }],
        });
        await changes.commit(id, { appStateReset: ['contact', 'mute'], appState: [contact(lidA, 'Carl')] });
        assert.deepEqual(await appState.list(id, 'contact'), [contact(lidA, 'Carl')]);
        assert.deepEqual(await appState.list(id, 'pin'), [{ kind: 'pin', jid: chatA, value: { at: 5 } }]);
      }),
    );

    it(
      'is gone with the link, and with the device',
      withStore(open, async ({ stores: { changes, appState, devices }, device }) => {
        const [one, two] = [(await device()).id, (await device()).id];
        for (const id of [one, two]) await changes.commit(id, { appState: [contact(chatA, 'Ann')] });
        await changes.clearCredentials(one, {});
        assert.deepEqual(await appState.list(one, 'contact'), []);
        await devices.delete(two);
        assert.deepEqual(await appState.list(two, 'contact'), []);
      }),
    );

    it(
      'takes thousands of entries in one commit, all or none',
      withStore(open, async ({ stores: { changes, appState }, device }) => {
        const { id } = await device();
        const many = Array.from({ length: 3_000 }, (_, n) => contact(`${491000000000 + n}@s.whatsapp.net`, `${n}`));
        await changes.commit(id, { appState: many });
        assert.equal((await appState.list(id, 'contact')).length, 3_000);
        await assert.rejects(changes.commit(1_000_000, { appState: many }), { name: 'DeviceNotFound' });
      }),
    );
  });
};
