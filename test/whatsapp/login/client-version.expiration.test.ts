/** The date from which the network refuses the client version: how it is told, kept, and taken back. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { strictStanzas } from '../socket/strict-stanzas.ts';
import { followExpiration } from '../../../src/whatsapp/login/client-version/versioned-network.ts';
import { manualClock } from '../../support/clock.ts';
import { openTestStore } from '../../support/store.ts';
import { bundled, day, inMemory, start, versionsWith } from './client-version.support.ts';

describe('the date from which the network refuses the version', () => {
  const dateOf = (versions: ReturnType<typeof versionsWith>) => versions.status().expiresAt;

  it('is told, kept over a restart, and makes the pages be read at once', async () => {
    let looks = 0;
    const clock = manualClock(start);
    const store = inMemory();
    const fetch = async () => {
      looks += 1;
      return bundled;
    };
    const versions = versionsWith({ fetch, clock, store });
    await versions.start();
    await clock.advance(0);
    assert.deepEqual([looks, dateOf(versions), versions.status().warning], [1, null, null]);
    await versions.expires(bundled, start + 9 * day);
    assert.deepEqual([looks, dateOf(versions)], [2, start + 9 * day]);
    const from = new Date(start + 9 * day).toISOString().slice(0, 10);
    assert.match(
      versions.status().warning!,
      new RegExp(`^The network refuses client version .* from ${from} on: update`),
    );
    await versions.stop();
    const next = versionsWith({ clock, store });
    await next.start();
    assert.equal(dateOf(next), start + 9 * day);
  });

  it('is the earliest one, until it is taken back; of another version it says nothing', async () => {
    const store = inMemory();
    const versions = versionsWith({ store });
    await versions.expires(bundled, start + 9 * day);
    await versions.expires(bundled, start + 20 * day);
    assert.equal(dateOf(versions), start + 9 * day);
    await versions.expires(bundled, start + 5 * day);
    await versions.expires(bundled - 1, start + day);
    await versions.expires(bundled - 1, null);
    assert.equal(dateOf(versions), start + 5 * day);
    await versions.expires(bundled, null);
    assert.deepEqual([dateOf(versions), store.expirations.get('whatsapp')], [null, null]);
  });

  it('does not hold for the next version', async () => {
    let told = bundled;
    const clock = manualClock(start);
    const versions = versionsWith({ fetch: async () => told, clock });
    await versions.start();
    await clock.advance(0);
    told = bundled + 1;
    await versions.expires(bundled, start + day);
    assert.deepEqual(
      [versions.current.revision, dateOf(versions), versions.status().warning],
      [bundled + 1, null, null],
    );
    await versions.stop();
  });

  it('is told of a pinned version, too, which is not looked up', async () => {
    let looks = 0;
    const fetch = async () => (looks += 1);
    const versions = versionsWith({ fetch, pinned: bundled - 5 });
    await versions.expires(bundled - 5, start + day);
    assert.equal(looks, 0);
    assert.match(
      versions.status().warning!,
      /\(pinned, 10 days old\) from .* on: set HANDSET_CLIENT_VERSION to a newer one/,
    );
  });

  it('is kept by the database', async () => {
    const kept = await openTestStore();
    const store = kept.stores.clientRevisions;
    assert.equal(await store.loadExpiration('whatsapp'), null);
    await store.keepExpiration('whatsapp', { revision: bundled, at: start });
    assert.deepEqual(await store.loadExpiration('whatsapp'), { revision: bundled, at: start });
    assert.equal(await store.loadExpiration('sandbox'), null);
    await store.keepExpiration('whatsapp', null);
    assert.equal(await store.loadExpiration('whatsapp'), null);
    await kept.close();
  });
});

describe('the notice of that date', () => {
  const heard = (attrs: Record<string, string>): readonly (number | null)[] => {
    const stanzas = strictStanzas();
    const told: (number | null)[] = [];
    followExpiration(stanzas, (at) => told.push(at));
    stanzas.dispatch({ tag: 'ib', attrs: {}, content: [{ tag: 'client_expiration', attrs }] });
    return told;
  };

  it('is a date, its withdrawal, or nothing that can be read', () => {
    assert.deepEqual(heard({ t: '1800000000' }), [1_800_000_000_000]);
    assert.deepEqual(heard({}), [null]);
    for (const t of ['', '-1', '1e9', 'soon', '9'.repeat(11), '9'.repeat(100_000)]) assert.deepEqual(heard({ t }), []);
  });
});
