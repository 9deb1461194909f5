/** The parts of a connection that acts on groups use. */
import type { KeptGroup } from '../../domain/groups/group.ts';
import type { Jid } from '../../domain/jid.ts';
import type { Session } from '../session.ts';

export type GroupLink = Pick<Session, 'deviceId' | 'sock' | 'creds' | 'lidMapping' | 'clock'> & {
  readonly keeper: Session['groupKeeper'];
  readonly tokenOf: Session['conversation']['tokenOf'];
  readonly current: (group: Jid) => Promise<KeptGroup>;
};
