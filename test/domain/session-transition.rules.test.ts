/** Invariants of every transition, and the session of a device as it is stored. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type DeviceRecord, defaultSettings } from '../../src/domain/device.ts';
import { eventKinds } from '../../src/domain/event.ts';
import { type SessionEvent, type Session, sessionOf, resumeMs } from '../../src/domain/sessions/session.ts';
import type { SessionState, Backlog } from '../../src/domain/sessions/state.ts';
import { eventOf } from '../../src/store/commit/events-of.ts';
import { transition } from '../../src/domain/sessions/transition.ts';
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
} from './session-examples.ts';

describe('what holds for every state and happening', () => {
  const events: readonly SessionEvent[] = [
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
  const sessions = Object.values(states).flatMap((state) => [linked(state), unlinked(state)]);

  test('an announced session is announced once and ended once, and what is persisted says which', () => {
    for (const session of sessions) {
      for (const event of events) {
        let announced = session.announcedOpen;
        let persisted = session.announcedOpen;
        const step = transition(session, event, now);
        for (const effect of step.effects) {
          if (effect.kind !== 'record') continue;
          for (const { event: told } of (effect.changes.facts ?? []).map(eventOf)) {
            if (told.type === 'connection.open') {
              assert.equal(announced, false, `${session.state.kind} + ${event.kind}: opened twice`);
              announced = true;
            }
            if (told.type === 'connection.closed') {
              assert.equal(announced, true, `${session.state.kind} + ${event.kind}: closed twice`);
              announced = false;
            }
            if (told.type === 'connection.logout') {
              assert.equal(announced, false, `${session.state.kind} + ${event.kind}: the session has not ended`);
            }
          }
          persisted = effect.changes.announcedOpen ?? persisted;
        }
        assert.equal(step.session.announcedOpen, announced, `${session.state.kind} + ${event.kind}: session`);
        assert.equal(persisted, announced, `${session.state.kind} + ${event.kind}: store`);
      }
    }
  });

  test('a closed session stays closed, whatever a late word of the network says', () => {
    for (const event of events.slice(7)) {
      const before = linked({ kind: 'closed', reason: 'replaced', detail: null });
      assert.deepEqual(transition(before, event, now), { session: before, effects: [] }, event.kind);
    }
  });

  test('a linked device that is active always has a way back', () => {
    const temporary = [lost, lostSlowly, refused, banned(now + 60_000), banned(null)];
    for (const event of [...temporary, ended('requested'), ended('pairing_expired'), ended('client_outdated')]) {
      for (const state of [states.connecting!, states.open!, states.grace!, states.away!]) {
        const { session, effects } = transition(linked(state), event, now);
        assert.equal(session.state.kind, 'reconnecting');
        assert.equal(session.account, account);
        assert.ok(effects.some(({ kind }) => kind === 'retry' || kind === 'retry_at'));
      }
    }
  });

  test('credentials are forgotten only with the link, or with a pairing that came to nothing', () => {
    for (const session of sessions) {
      for (const event of events) {
        const step = transition(session, event, now);
        const forgets = step.effects.some((effect) => effect.kind === 'record' && effect.forget);
        if (forgets) assert.equal(step.session.account, null, `${session.state.kind} + ${event.kind}`);
      }
    }
  });
});

test('reconnects counts links that came back, and not the first one', () => {
  assert.equal(transition(linked(states.grace!), { kind: 'open', account }, now).session.reconnects, 1);
  assert.equal(transition(linked(states.connecting!), { kind: 'open', account }, now).session.reconnects, 0);
  const fresh = linked(states.grace!, { freshlyLinked: true });
  assert.equal(transition(fresh, { kind: 'open', account }, now).session.reconnects, 0);
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
  settings: defaultSettings,
  limits: null,
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
  for (const [name, more, state] of cases) {
    test(name, () => assert.deepEqual(sessionOf({ ...stored, ...more }, now).state, state));
  }
});

describe('a service that ends between the link and the first open session', () => {
  /** The device row after these steps. */
  const rowAfter = (session: Session, ...given: readonly SessionEvent[]): DeviceRecord => {
    let [current, row] = [session, { ...stored, account: null as DeviceRecord['account'] }];
    for (const event of given) {
      const step = transition(current, event, now);
      current = step.session;
      for (const effect of step.effects) {
        if (effect.kind !== 'record') continue;
        const { account: linkedTo = row.account, pairingAt = row.pairingAt } = effect.changes;
        row = { ...row, account: linkedTo, pairingAt };
      }
    }
    return row;
  };
  const link: SessionEvent = { kind: 'linked', account };

  test('remembers that the link is fresh: a 401 is no logout', () => {
    const session = sessionOf(rowAfter(unlinked(states.pairing!), link), now);
    assert.equal(session.freshlyLinked, true);
    const refusal = transition(session, ended('removed_by_phone'), now);
    assert.deepEqual(refusal.session.account, account);
    assert.equal(refusal.session.state.kind, 'reconnecting');
  });

  test('forgets it with the first open session, and with the link', () => {
    const opened = rowAfter(unlinked(states.pairing!), link, { kind: 'open', account });
    assert.equal(sessionOf(opened, now).freshlyLinked, false);
    const refusedRow = rowAfter(unlinked(states.pairing!), link, ended('banned'));
    assert.deepEqual(sessionOf(refusedRow, now).state, { kind: 'closed', reason: 'never_paired', detail: null });
  });
});

describe('why a pairing began anew', () => {
  const noticeOf = (session: Session, event: SessionEvent): string | null =>
    transition(session, event, now).session.notice;

  test('is told once somebody has had a QR, until the device is linked or restarted', () => {
    const again = transition(unlinked(states.pairing!), lost, now).session;
    assert.equal(again.notice, 'The last attempt to link the device failed (cut)');
    const offered = transition(again, { kind: 'offer', offer }, now).session;
    assert.equal(offered.notice, again.notice);
    assert.equal(noticeOf(offered, { kind: 'linked', account }), null);
    assert.equal(noticeOf(offered, { kind: 'restart' }), null);
    assert.equal(noticeOf(unlinked(states.connecting!), lost), null);
  });

  test('is told when the network refuses the link that it has confirmed', () => {
    const session = linked(states.grace!, { freshlyLinked: true, announcedOpen: false, attempt: 3 });
    assert.match(noticeOf(session, ended('removed_by_phone')) ?? '', /401/);
  });

  test('is told after a restart of the service', () => {
    const session = sessionOf({ ...stored, account: null, pairingAt: now }, now);
    assert.match(session.notice ?? '', /restarted/);
    assert.equal(session.offered, true);
  });
});

describe('the backlog of a connection', () => {
  const backlog: Backlog = {
    state: 'receiving',
    announced: 500,
    requested: 200,
    received: 150,
    startedAt: now,
    completedAt: null,
  };
  const happen = (session: Session, ...events: readonly SessionEvent[]): Session =>
    events.reduce((before, event) => transition(before, event, now).session, session);
  const told = (state: Backlog['state']): SessionEvent => ({ kind: 'backlog', backlog: { ...backlog, state } });

  test('is what was told of it last; each that stalls is counted once', () => {
    const open = happen(
      linked({ kind: 'open', since: now, account }),
      told('receiving'),
      told('stalled'),
      told('stalled'),
    );
    assert.deepEqual([open.backlog?.state, open.stalledBacklogs], ['stalled', 1]);
    const again = happen(open, told('receiving'), told('stalled'), told('complete'));
    assert.deepEqual([again.backlog?.state, again.stalledBacklogs], ['complete', 2]);
  });

  test('is not that of the next connection', () => {
    const open = happen(linked({ kind: 'open', since: now, account }), told('stalled'));
    const back = happen(open, lost, { kind: 'retry_due' });
    assert.deepEqual([back.backlog, back.stalledBacklogs], [undefined, 1]);
    assert.equal(happen(open, { kind: 'restart' }).backlog, undefined);
  });
});
