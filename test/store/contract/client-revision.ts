/** The contract of the last good client revision: the newest one of each network. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type OpenStore, withStore } from './fixture.ts';

export const clientRevisionContract = (open: OpenStore): void => {
  describe('the client revision', () => {
    it(
      'is kept for each network, and no older one takes its place',
      withStore(open, async ({ stores: { clientRevisions } }) => {
        assert.equal(await clientRevisions.load('whatsapp'), null);
        await clientRevisions.keep('whatsapp', { revision: 1_043_857_760, firstSeenAt: 1_795_000_000_000 });
        await clientRevisions.keep('whatsapp', { revision: 1_043_857_759, firstSeenAt: 1_796_000_000_000 });
        await clientRevisions.keep('whatsapp', { revision: 1_043_857_760, firstSeenAt: 1_796_000_000_000 });
        const first = { revision: 1_043_857_760, firstSeenAt: 1_795_000_000_000 };
        assert.deepEqual(await clientRevisions.load('whatsapp'), first);
        assert.equal(await clientRevisions.load('sandbox'), null);
        await clientRevisions.keep('sandbox', { revision: 4_294_967_295, firstSeenAt: 0 });
        await clientRevisions.keep('whatsapp', { revision: 1_044_000_000, firstSeenAt: 1_797_000_000_000 });
        assert.equal((await clientRevisions.load('whatsapp'))?.revision, 1_044_000_000);
        assert.equal((await clientRevisions.load('sandbox'))?.revision, 4_294_967_295);
      }),
    );
  });
};
