/** The contract of the settings of a device: kept apart by what may be read without the secret. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defaultSettings } from '../../../src/domain/device.ts';
import { chatA, type OpenStore, withStore } from './fixture.ts';

export const deviceSettingsContract = (open: OpenStore): void => {
  describe('the settings of a device', () => {
    it(
      'keeps settings, over a restart and beside other changes',
      withStore(open, async ({ stores: { devices, audit }, device, reopen }) => {
        const { id } = await device();
        const by = { kind: 'operator', address: null } as const;
        const changed = await devices.update(id, { settings: { online: true } }, by);
        assert.deepEqual(changed.settings, { ...defaultSettings, online: true });
        const [entry] = (await audit.list({ limit: 1, cursor: null })).items;
        assert.deepEqual([entry?.action, entry?.detail], ['device.updated', { members: ['online'] }]);
        assert.deepEqual((await devices.update(id, { name: 'Desk' })).settings, { ...defaultSettings, online: true });
        assert.deepEqual((await (await reopen()).devices.find(id))?.settings, { ...defaultSettings, online: true });
      }),
    );

    it(
      'seals settings with numbers and texts, and keeps those of a later version',
      withStore(open, async ({ stores, device, execute, reopen }) => {
        const { id } = await device();
        const settings = { presence: [chatA], rejectCalls: 'Call later', stopWords: ['Stopp'], newChatsPerDay: 5 };
        const all = { ...defaultSettings, ...settings, media: 'kept' } as const;
        assert.deepEqual((await stores.devices.update(id, { settings: { ...settings, media: 'kept' } })).settings, all);
        const { devices } = await reopen();
        assert.deepEqual((await devices.find(id))?.settings, all);
        const plain = JSON.stringify({ newChatsPerDay: 5, media: 'kept' });
        await execute(`update devices set name = 'as stored' where id = ${id} and settings = '${plain}'`);
        assert.equal((await devices.find(id))?.name, 'as stored');
        const later = JSON.stringify({ newChatsPerDay: 5, media: 'kept', ofLater: 1 });
        await execute(`update devices set settings = '${later}' where id = ${id}`);
        const changed = await devices.update(id, { settings: { online: true, stopWords: [] } });
        assert.deepEqual(changed.settings, { ...all, online: true, stopWords: [] });
        await execute(`update devices set name = 'of later' where id = ${id} and sealed_settings is not null`);
        assert.equal((await devices.find(id))?.name, 'of later');
      }),
    );

    it(
      'keeps a proxy apart from the other settings, and notes its name only',
      withStore(open, async ({ stores: { devices, audit }, device, reopen }) => {
        const { id } = await device();
        const by = { kind: 'operator', address: null } as const;
        const proxy = 'socks5://u:s3cret@proxy.example.com:1080';
        const changed = await devices.update(id, { settings: { proxy, online: true } }, by);
        assert.deepEqual(changed.settings, { ...defaultSettings, online: true, proxy });
        assert.ok(!JSON.stringify(await audit.list({ limit: 10, cursor: null })).includes('s3cret'));
        const { devices: reopened } = await reopen();
        assert.deepEqual((await reopened.find(id))?.settings, { ...defaultSettings, online: true, proxy });
        const without = await reopened.update(id, { settings: { proxy: null } });
        assert.deepEqual(without.settings, { ...defaultSettings, online: true });
      }),
    );
  });
};
