/** Invariants of every transition, and the session of a device as it is stored. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { DeviceRecord } from '../../src/domain/device.ts';
import { eventKinds } from '../../src/domain/event.ts';
import { type Happening, type Life, lifeOf, resumeMs } from '../../src/domain/session.ts';
import type { SessionState } from '../../src/domain/session-state.ts';
import { transition } from '../../src/domain/session-transition.ts';
import {
  account,
  banned,
  ended,
  linked,
  lost,
  lostSlowly,
  now,
  offer,
  passkey,
  refused,
  states,
  unlinked,
} from './session-lives.ts';

describe('what holds for every state and happening', () => {
  const happenings: readonly Happening[] = [
    ...(['start', 'restore', 'activate', 'restart', 'deactivate', 'shutdown', 'logged_out'] as const).map((kind) => ({
      kind,
    })),
    { kind: 'offer', offer: { ...offer, qrText: 'ref-2' } },
    { kind: 'passkey', passkey },
    { kind: 'linked', account },
    { kind: 'open', account },
    { kind: 'restricted', limits: { lockedUntil: 1, newChats: null } },
    lost,
    lostSlowly,
    refused,
    banned(now + 60_000),
    banned(null),
    ...(
      [
        'requested',
        'replaced',
        'removed_by_phone',
        'locked',
        'banned',
        'pairing_expired',
        'passkey_expired',
        'client_outdated',
      ] as const
    ).map(ended),
    { kind: 'grace_over' },
    { kind: 'retry_due' },
  ];
  const lives = Object.values(states).flatMap((session) => [linked(session), unlinked(session)]);

  test('an announced session is announced once and ended once, and what is persisted says which', () => {
    for (const life of lives) {
      for (const happening of happenings) {
        let announced = life.announcedOpen;
        let persisted = life.announcedOpen;
        const step = transition(life, happening, now);
        for (const effect of step.effects) {
          if (effect.kind !== 'record') continue;
          for (const { event } of effect.changes.events ?? []) {
            if (event.type === 'connection.open') {
              assert.equal(announced, false, `${life.session.kind} + ${happening.kind}: opened twice`);
              announced = true;
            }
            if (event.type === 'connection.closed') {
              assert.equal(announced, true, `${life.session.kind} + ${happening.kind}: closed twice`);
              announced = false;
            }
            if (event.type === 'connection.logout') {
              assert.equal(announced, false, `${life.session.kind} + ${happening.kind}: the session has not ended`);
            }
          }
          persisted = effect.changes.announcedOpen ?? persisted;
        }
        assert.equal(step.life.announcedOpen, announced, `${life.session.kind} + ${happening.kind}: life`);
        assert.equal(persisted, announced, `${life.session.kind} + ${happening.kind}: store`);
      }
    }
  });

  test('a closed session stays closed, whatever a late word of the network says', () => {
    for (const happening of happenings.slice(7)) {
      const before = linked({ kind: 'closed', reason: 'replaced', detail: null });
      assert.deepEqual(transition(before, happening, now), { life: before, effects: [] }, happening.kind);
    }
  });

  test('a linked device that is active always has a way back', () => {
    const temporary = [lost, lostSlowly, refused, banned(now + 60_000), banned(null)];
    for (const happening of [...temporary, ended('requested'), ended('pairing_expired'), ended('client_outdated')]) {
      for (const session of [states.connecting!, states.open!, states.grace!, states.away!]) {
        const { life, effects } = transition(linked(session), happening, now);
        assert.equal(life.session.kind, 'reconnecting');
        assert.equal(life.account, account);
        assert.ok(effects.some(({ kind }) => kind === 'retry' || kind === 'retry_at'));
      }
    }
  });

  test('credentials are forgotten only with the link, or with a pairing that came to nothing', () => {
    for (const life of lives) {
      for (const happening of happenings) {
        const step = transition(life, happening, now);
        const forgets = step.effects.some((effect) => effect.kind === 'record' && effect.forget);
        if (forgets) assert.equal(step.life.account, null, `${life.session.kind} + ${happening.kind}`);
      }
    }
  });
});

test('reconnects counts links that came back, and not the first one', () => {
  assert.equal(transition(linked(states.grace!), { kind: 'open', account }, now).life.reconnects, 1);
  assert.equal(transition(linked(states.connecting!), { kind: 'open', account }, now).life.reconnects, 0);
  const fresh = linked(states.grace!, { freshlyLinked: true });
  assert.equal(transition(fresh, { kind: 'open', account }, now).life.reconnects, 0);
});

const stored: DeviceRecord = {
  id: 1,
  userId: 1,
  name: 'x',
  webhookUrl: null,
  webhookEvents: eventKinds,
  messagesSent: 0,
  subscriptionStatus: 'active',
  createdAt: 0,
  account,
  announcedOpen: false,
  pairingAt: null,
  lastSeenAt: null,
};

describe('the life of a stored device', () => {
  const cases: readonly [string, Partial<DeviceRecord>, SessionState][] = [
    ['linked, after a graceful stop', {}, { kind: 'connecting' }],
    [
      'linked, after a crash',
      { announcedOpen: true },
      { kind: 'reconnecting', since: now, attempt: 0, detail: 'the service was restarted', unannounced: true },
    ],
    ['unlinked', { account: null }, { kind: 'closed', reason: 'never_paired', detail: null }],
    ['in the middle of a pairing', { account: null, pairingAt: now - 1_000 }, { kind: 'connecting' }],
    [
      'in the middle of a pairing, long ago',
      { account: null, pairingAt: now - resumeMs },
      { kind: 'closed', reason: 'never_paired', detail: null },
    ],
    ['inactive', { subscriptionStatus: 'inactive' }, { kind: 'closed', reason: 'inactive', detail: null }],
  ];
  for (const [name, more, session] of cases) {
    test(name, () => assert.deepEqual(lifeOf({ ...stored, ...more }, now).session, session));
  }
});

describe('why a pairing began anew', () => {
  const noticeOf = (life: Life, happening: Happening): string | null => transition(life, happening, now).life.notice;

  test('is told once somebody has had a QR, until the device is linked or restarted', () => {
    const again = transition(unlinked(states.pairing!), lost, now).life;
    assert.equal(again.notice, 'The last attempt to link the device failed (cut)');
    const offered = transition(again, { kind: 'offer', offer }, now).life;
    assert.equal(offered.notice, again.notice);
    assert.equal(noticeOf(offered, { kind: 'linked', account }), null);
    assert.equal(noticeOf(offered, { kind: 'restart' }), null);
    assert.equal(noticeOf(unlinked(states.connecting!), lost), null);
  });

  test('is told when the network refuses the link that it has confirmed', () => {
    const life = linked(states.grace!, { freshlyLinked: true, announcedOpen: false, attempt: 3 });
    assert.match(noticeOf(life, ended('removed_by_phone')) ?? '', /401/);
  });

  test('is told after a restart of the service', () => {
    const life = lifeOf({ ...stored, account: null, pairingAt: now }, now);
    assert.match(life.notice ?? '', /restarted/);
    assert.equal(life.offered, true);
  });
});
