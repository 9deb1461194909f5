/** The network of 2026, the client's version: its second page, and the date from which it refuses a version, through the whole service. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { openShell } from '../../cli/terminal.support.ts';
import { type Installation, ownerKey, startInstallation } from '../../support/installation.ts';
import { eventually } from '../../support/wait.ts';
import { addPhones, linkDevice } from '../steps.ts';

describe('the client version', () => {
  let installation: Installation;
  before(async () => {
    installation = await startInstallation();
    await addPhones(installation);
  });
  afterEach(() => installation.phones.faults({}));
  after(() => installation[Symbol.asyncDispose]());

  const version = async (): Promise<Record<string, string | null>> => {
    const ready = await fetch(`${installation.handset.url}/health/ready`);
    const { details } = (await ready.json()) as { details: { clientVersion: Record<string, string | null> } };
    return details.clientVersion;
  };
  const doctor = async (): Promise<string> => {
    await using shell = await openShell({ HANDSET_URL: installation.handset.url, HANDSET_KEY: ownerKey });
    return (await shell.handset(['doctor'])).stdout;
  };

  it('is read from the root page where the service worker does not answer', async () => {
    await installation.phones.faults({ versionPages: 'root', clientRevision: { current: 1_060_000_000 } });
    await installation.restart();
    const read = await eventually('the page is read', async () => {
      const told = await version();
      return told['source'] === 'fetched' && told;
    });
    assert.deepEqual([read['version'], read['problem']], ['2.3000.1060000000', null]);
  });

  it('has the date from which the network refuses it: in health, /me and doctor, over a restart, until it is taken back', async () => {
    await linkDevice(installation);
    const [t, date] = [1_900_000_000, '2030-03-17T17:46:40.000Z'];
    assert.equal((await version())['expiresAt'], null);
    const { checkedAt } = await version();
    await installation.phones.faults({ clientExpiration: t, clientRevision: { current: 1_060_000_000 } });
    const expires = (at: string | null) =>
      eventually(`the date ${at}`, async () => (await version())['expiresAt'] === at);
    await expires(date);
    assert.match(
      (await version())['warning'] ?? '',
      /^The network refuses client version .* from 2030-03-17 on: update Handset/,
    );
    assert.equal((await installation.api.get('/me')).body.service.client.expiresAt, date);
    assert.match(await doctor(), /^warning +The network refuses client version .* from 2030-03-17 on/m);
    await eventually('the pages are read at once', async () => (await version())['checkedAt'] !== checkedAt);
    await installation.restart();
    await expires(date);
    await installation.phones.faults({ clientRevision: { current: 1_060_000_000 } });
    // The device is told when it is back.
    await eventually('a withdrawal', async () => {
      await installation.phones.faults({ clientExpiration: t, clientRevision: { current: 1_060_000_000 } });
      await installation.phones.faults({ clientRevision: { current: 1_060_000_000 } });
      return (await version())['expiresAt'] === null;
    });
    assert.doesNotMatch(await doctor(), /refuses client version/);
  });
});
