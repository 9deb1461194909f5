/** What is remembered of those who write is what would be made out anew. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { jidKind } from '../../../src/domain/jid.ts';
import { Senders } from '../../../src/whatsapp/identity/senders.ts';
import { makeLidMapping } from '../../../src/whatsapp/signal/lid-mapping.ts';
import { isMe, plainJid } from '../../../src/whatsapp/translate/people.ts';
import { memoryStore } from '../signal/support.ts';

const users = ['1', '2', '3'] as const;
const jid = fc.oneof(
  fc.tuple(fc.constantFrom(...users), fc.constantFrom('@s.whatsapp.net', ':4@s.whatsapp.net', '@hosted', '_1@lid')),
  fc.tuple(fc.constantFrom('7', '8', '9'), fc.constantFrom('@lid', ':4@lid', ':99@hosted.lid')),
  fc.constantFrom(['120363', '@g.us'], ['', ''], ['x', '']),
);
const address = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom('1@s.whatsapp.net', '2:4@s.whatsapp.net', '7@lid', '8@lid') },
  { weight: 1, arbitrary: jid.map((parts) => parts.join('')) },
);
const attrs = fc.record(
  { from: address, sender_pn: address, sender_lid: address },
  { requiredKeys: ['from'], noNullPrototype: true },
);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ attrs }) },
  { weight: 1, arbitrary: fc.record({ lidUser: fc.constantFrom('7', '8'), phoneUser: fc.constantFrom('1', '2') }) },
);

test('what is remembered of a sender holds, whatever has been learned meanwhile', async () => {
  const me = { phone: '3@s.whatsapp.net', lid: '9@lid' };
  let settled = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 20, maxLength: 60 }),
      fc.constantFrom(1, 20),
      async (steps, capacity) => {
        const mapping = makeLidMapping({ deviceId: 1, store: memoryStore(), capacity });
        const senders = new Senders(mapping);
        for (const each of steps) {
          if ('lidUser' in each) {
            await mapping.pairs.keep([each]);
            continue;
          }
          const { from, sender_pn: pn, sender_lid: lid } = each.attrs;
          const kind = jidKind(plainJid(from));
          const isPerson = (kind === 'phone' || kind === 'lid') && !isMe(me, from);
          assert.equal(senders.isPerson(me, each.attrs), isPerson);
          if (!senders.isSettled(me, each.attrs)) continue;
          settled += 1;
          assert.ok(mapping.hasAt(plainJid(from)), 'nothing to look up');
          for (const other of [pn, lid]) {
            if (other === undefined) continue;
            const jids = [plainJid(from), plainJid(other)] as const;
            assert.deepEqual(mapping.learn(...jids), [], 'nothing to learn');
          }
        }
      },
    ),
    { numRuns: 400, seed: 5 },
  );
  assert.ok(settled > 100, `${settled}`);
});
