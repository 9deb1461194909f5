/** The client version: which revision is used, how long it lasts, and what a refusal leads to. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { DEFAULT_CONNECTION_CONFIG } from 'baileys';
import { pino } from 'pino';
import { bundledRevision } from '../../../src/whatsapp/login/client-version/bundled.ts';
import { staleBundle } from '../../../tools/check-client-revision.ts';
import { manualClock } from '../../support/clock.ts';
import { openTestStore } from '../../support/store.ts';
import { eventually } from '../../support/wait.ts';
import { bundled, day, inMemory, start, versionsWith } from './client-version.support.ts';

describe('the revision of this release', () => {
  it('is not older than the one that Baileys brings', () => {
    const [major, minor, revision] = DEFAULT_CONNECTION_CONFIG.version;
    assert.deepEqual([major, minor], [2, 3000]);
    assert.ok(bundled >= revision);
  });
  it('is refused by the release workflow once it is older than 45 days, and by nothing else', async () => {
    const since = Date.UTC(2026, 0, 1);
    assert.equal(staleBundle({ revision: 1_040_000_000, since }, since + 45 * day), null);
    assert.match(
      staleBundle({ revision: 1_040_000_000, since }, since + 46 * day)!,
      /2\.3000\.1040000000 is 46 days old/,
    );
    assert.match(staleBundle({ revision: 1_040_000_000, since: null }, since)!, /Infinity days old/);
    const root = join(import.meta.dirname, '../../..');
    const read = (name: string) => readFile(join(root, name), 'utf8');
    const command = 'node tools/check-client-revision.ts';
    assert.ok((await read('.github/workflows/release.yml')).includes(command));
    for (const name of ['.github/workflows/ci.yml', '.ci/run', 'tools/check.ts', 'package.json'])
      assert.ok(!(await read(name)).includes('check-client-revision'), name);
  });
});

describe('the version in use', () => {
  it('is the bundled one until the page is read, and never an older one', async () => {
    const told = [bundled + 100, bundled + 50, bundled + 100];
    const clock = manualClock(start);
    const store = inMemory();
    const versions = versionsWith({ fetch: async () => told.shift()!, clock, store });
    assert.equal(versions.current.source, 'bundled');
    assert.equal(versions.status().ageDays, 10);
    await versions.start();
    await clock.advance(0);
    assert.deepEqual(versions.current, { revision: bundled + 100, source: 'fetched', since: start });
    assert.deepEqual(store.kept.get('whatsapp'), { revision: bundled + 100, firstSeenAt: start });
    await clock.advance(6 * 3_600_000);
    assert.equal(versions.status().lastCheck?.outcome, 'older');
    assert.equal(versions.current.revision, bundled + 100);
    await clock.advance(6 * 3_600_000);
    assert.deepEqual(versions.status().checks, { newer: 1, same: 1, older: 1, failed: 0 });
    await versions.stop();
  });

  it('is looked for again half an hour after a page that could not be read', async () => {
    let looks = 0;
    const clock = manualClock(start);
    const fetch = async () => {
      looks += 1;
      throw new Error('out of reach');
    };
    const versions = versionsWith({ fetch, clock });
    await versions.start();
    await clock.advance(29 * 60_000);
    assert.equal(looks, 1);
    await clock.advance(2 * 60_000);
    assert.equal(looks, 2);
    await versions.stop();
    await clock.advance(day);
    assert.equal(looks, 2);
  });

  it('is the stored one where the page is out of reach, with its age; another network has its own', async () => {
    const kept = await openTestStore();
    const store = kept.stores.clientRevisions;
    const clock = manualClock(start);
    const first = versionsWith({ fetch: async () => bundled + 3, store, clock });
    await first.start();
    await eventually('it is kept', () => store.load('whatsapp'));
    await first.stop();
    await clock.advance(5 * day);
    const unreachable = { fetch: () => Promise.reject(new Error('out of reach')), store, clock };
    const second = versionsWith(unreachable);
    await second.start();
    assert.deepEqual(second.current, { revision: bundled + 3, source: 'stored', since: start });
    assert.equal(second.status().ageDays, 5);
    assert.equal(await store.load('sandbox'), null);
    // An older one does not take its place.
    await store.keep('whatsapp', { revision: bundled + 2, firstSeenAt: 1 });
    assert.deepEqual(await store.load('whatsapp'), { revision: bundled + 3, firstSeenAt: start });
    await second.stop();
    await kept.close();
  });

  it('holds without a store', async () => {
    const away = () => Promise.reject(new Error('the database is away'));
    const store = { load: away, keep: away, loadExpiration: away, keepExpiration: away };
    const versions = versionsWith({ fetch: async () => bundled + 3, store });
    await versions.start();
    await eventually('the page is read', () => versions.current.source === 'fetched');
    await versions.stop();
  });

  it('is a pinned one for good: the page is not read, not even when the network refuses it', async () => {
    let looks = 0;
    const fetch = async () => {
      looks += 1;
      return bundled + 100;
    };
    const clock = manualClock(start);
    const versions = versionsWith({ fetch, pinned: bundled - 5, clock });
    await versions.start();
    const { renewed, detail } = await versions.refused(bundled - 5);
    await clock.advance(day);
    assert.equal(renewed, false);
    assert.match(
      detail,
      /^the network refuses client version 2\.3000\.\d+ \(pinned, 10 days old\), and it is pinned: set HANDSET_CLIENT_VERSION/,
    );
    assert.equal(looks, 0);
    assert.deepEqual([versions.current.revision, versions.current.source], [bundled - 5, 'pinned']);
    await versions.stop();
  });

  it('warns from 60 days', async () => {
    const clock = manualClock(bundledRevision.since! + 59 * day);
    const versions = versionsWith({ clock });
    assert.equal(versions.status().warning, null);
    await clock.advance(day);
    assert.match(
      versions.status().warning!,
      /2\.3000\.\d+ \(bundled, 60 days old\).*update Handset.*HANDSET_CLIENT_VERSION/,
    );
  });
});

describe('the warning in the log', () => {
  const warningsOf = async (fetch: (() => Promise<number>) | null): Promise<readonly string[]> => {
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
    const versions = versionsWith({ fetch, log, clock: manualClock(bundledRevision.since! + 120 * day) });
    await versions.start();
    if (fetch !== null) await eventually('a look at the page', () => versions.status().lastCheck);
    await versions.stop();
    return lines.filter((line) => line.includes('about to be too old'));
  };

  it('is given at a start without a page, and after a look that finds nothing newer; not while a newer one is read', async () => {
    assert.equal((await warningsOf(null)).length, 1);
    assert.equal((await warningsOf(async () => bundled)).length, 1);
    assert.deepEqual(await warningsOf(async () => bundled + 1), []);
  });
});

describe('a refused version', () => {
  it('is looked up once for many devices, and renewed', async () => {
    let looks = 0;
    const answer = Promise.withResolvers<number>();
    const clock = manualClock(start);
    const fetch = () => {
      looks += 1;
      return answer.promise;
    };
    const versions = versionsWith({ fetch, clock });
    const all = Promise.all(Array.from({ length: 200 }, () => versions.refused(bundled)));
    answer.resolve(bundled + 1);
    const renewals = await all;
    assert.equal(looks, 1);
    assert.ok(renewals.every(({ renewed }) => renewed));
    // One that was under way with the old one all the time.
    assert.equal((await versions.refused(bundled)).renewed, true);
    assert.equal(looks, 1);
    assert.equal(versions.status().refusals, 201);
    assert.equal(versions.status().warning, null);
  });

  it('that stays the same is said in words, and looked up at most every 30 s', async () => {
    let looks = 0;
    const clock = manualClock(start);
    const fetch = async () => {
      looks += 1;
      return bundled;
    };
    const versions = versionsWith({ fetch, clock });
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const { renewed, detail } = await versions.refused(bundled);
      assert.equal(renewed, false);
      assert.match(
        detail,
        /refuses client version 2\.3000\.\d+ \(fetched, 10 days old\), and no newer one is known: update Handset/,
      );
    }
    assert.equal(looks, 1);
    assert.match(versions.status().warning!, /the network refuses client version/);
    await clock.advance(30_000);
    await versions.refused(bundled);
    assert.equal(looks, 2);
    versions.accepted(bundled);
    assert.equal(versions.status().warning, null);
  });

  it('does not wait for a page, or a database, that never answers', async () => {
    const clock = manualClock(start);
    const never = new Promise<never>(() => undefined);
    const hang = () => never;
    const store = { load: hang, keep: hang, loadExpiration: hang, keepExpiration: hang };
    const versions = versionsWith({ fetch: () => never, store, clock });
    const renewal = versions.refused(bundled);
    await clock.advance(13_000);
    assert.equal((await renewal).renewed, false);
  });

  it('gives way to an older one of the page, and to nothing below the bundled one', async () => {
    const clock = manualClock(start);
    const store = inMemory();
    const wrong = bundled + 3_000_000_000;
    let told = wrong;
    const versions = versionsWith({ fetch: async () => told, clock, store });
    await versions.start();
    await clock.advance(0);
    assert.equal(versions.current.revision, wrong);
    told = bundled + 5;
    await clock.advance(6 * 3_600_000);
    assert.equal(versions.current.revision, wrong, 'not before the network refuses it');
    assert.equal((await versions.refused(wrong)).renewed, true);
    await clock.advance(12 * 3_600_000);
    assert.deepEqual([versions.current.revision, versions.current.source], [bundled + 5, 'fetched']);
    assert.equal(versions.status().warning, null);
    await versions.stop();
    // The store still has it: it is refused, and looked up, once more.
    const next = versionsWith({ fetch: async () => told, clock, store });
    await next.start();
    assert.equal((await next.refused(wrong)).renewed, true);
    assert.equal(next.current.revision, bundled + 5);
    told = bundled - 1;
    await clock.advance(60_000);
    assert.equal((await next.refused(bundled + 5)).renewed, false);
    await next.stop();
  });

  it('may be known to another node', async () => {
    const store = inMemory();
    const versions = versionsWith({ fetch: () => Promise.reject(new Error('out of reach')), store });
    await store.keep('whatsapp', { revision: bundled + 8, firstSeenAt: start });
    assert.equal((await versions.refused(bundled)).renewed, true);
    assert.deepEqual([versions.current.revision, versions.current.source], [bundled + 8, 'stored']);
  });

  it('makes an expired pairing say so, once it is old or a newer one is known', async () => {
    const clock = manualClock(start);
    let told = bundled;
    const versions = versionsWith({ fetch: async () => told, clock });
    assert.equal(versions.doubt(bundled), null);
    await clock.advance(50 * day);
    assert.match(versions.doubt(bundled)!, /60 days old\) may be too old to be linked/);
    told = bundled + 1;
    await clock.advance(day);
    versions.doubt(bundled);
    await clock.advance(0);
    assert.match(
      versions.doubt(bundled)!,
      /a newer client version is known by now, 2\.3000\.\d+ \(fetched, 0 days old\)/,
    );
  });
});
