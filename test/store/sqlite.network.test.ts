/** Data whose devices are linked on one network is not opened for the other one. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openStore } from '../../src/store/open-sqlite.ts';
import { openTestStore } from '../support/store.ts';
import { chatA } from './contract/fixture.ts';

it('keeps linked devices to their network, and lets data without links change over', async () => {
  const folder = await openTestStore({ network: 'sandbox' });
  const { dataDir } = folder;
  const reopened = async (network: 'whatsapp' | 'sandbox') => openStore({ dataDir, secret: null, network });
  try {
    const user = await folder.stores.users.create('owner', 3, 1);
    const device = await folder.stores.devices.create(
      { userId: user.id, name: 'desk', webhookUrl: null, webhookEvents: [] },
      1,
    );
    await folder.stores.close();
    await (await reopened('whatsapp')).close();
    const linked = await reopened('sandbox');
    await linked.changes.commit(device.id, {
      account: { jid: chatA, lid: null, phoneNumber: '4915112345678', name: 'Ann', platform: null },
    });
    await linked.close();
    await assert.rejects(reopened('whatsapp'), /are linked on the sandbox, and would lose their links on WhatsApp/);
    await (await reopened('sandbox')).close();
  } finally {
    await folder.reopen();
    await folder.close();
  }
});
