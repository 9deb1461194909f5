/** The parts of a connection used by actions on groups. */
import type { KeptGroup } from '../../domain/groups/group.ts';
import type { Jid } from '../../domain/jid.ts';
import type { Session } from '../session.ts';

export type GroupSession = Pick<Session, 'deviceId' | 'sock' | 'creds' | 'lidMapping' | 'clock'> & {
  readonly storedGroups: Session['storedGroups'];
  readonly tokenOf: Session['conversation']['tokenOf'];
  readonly current: (group: Jid) => Promise<KeptGroup>;
};
